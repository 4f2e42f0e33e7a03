import { createdMsOf } from '../../suppressions/suppression-id.js';
import type { FoundSuppression } from '../../suppressions/suppression-lookup.js';
import { urlOf } from './pager.js';
import type { Columns } from './table.js';
import { Timestamp } from './timestamp.js';
import { CAUSE_NAMES } from './words.js';

/** Suppressed addresses, with links to their pages. */
export const SUPPRESSION_COLUMNS: Columns<FoundSuppression> = {
  Address: ({ email }) => <a href={urlOf('/console', { q: email })}>{email}</a>,
  'Strongest cause': ({ cause }) => CAUSE_NAMES[cause],
  Added: ({ id }) => <Timestamp at={new Date(createdMsOf(id))} />,
};
