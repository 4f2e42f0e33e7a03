import type { JSX } from 'preact';
import { createdMsOf } from '../../suppressions/suppression-id.js';
import type { FoundSuppression } from '../../suppressions/suppression-lookup.js';
import { urlOf } from './pager.js';
import { Table } from './table.js';
import { Timestamp } from './timestamp.js';
import { CAUSE_NAMES } from './words.js';

interface SuppressionsTableProps {
  /** Says which suppressions these are. */
  caption: string;
  suppressions: readonly FoundSuppression[];
  /** What to say, or to do, while there are none. */
  empty: string;
}

/** Suppressed addresses, with links to their pages. */
export function SuppressionsTable({ caption, suppressions, empty }: SuppressionsTableProps): JSX.Element {
  return (
    <Table
      caption={caption}
      columns={['Address', 'Strongest cause', 'Added']}
      rows={suppressions.map(({ id, email, cause }) => ({
        key: id,
        cells: [
          <a key="email" href={urlOf('/console', { q: email })}>
            {email}
          </a>,
          CAUSE_NAMES[cause],
          <Timestamp key="added" at={new Date(createdMsOf(id))} />,
        ],
      }))}
      empty={empty}
    />
  );
}
