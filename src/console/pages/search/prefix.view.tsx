import type { FoundSuppression } from '../../../suppressions/suppression-lookup.js';
import { Card } from '../../components/card.js';
import { SUPPRESSION_COLUMNS } from '../../components/suppression-columns.js';
import { Table } from '../../components/table.js';
import { quote } from '../../components/words.js';

/** The suppressed addresses that begin with what a person entered. */
export interface PrefixResult {
  prefix: string;
  suppressions: FoundSuppression[];
  /** Whether others also begin with it. */
  hasMore: boolean;
}

export function WithPrefix({ prefix, suppressions, hasMore }: PrefixResult) {
  const caption = `Suppressed addresses that begin with ${quote(prefix)}`;
  return (
    <Card title={caption}>
      <Table
        caption={caption}
        rows={suppressions}
        columns={SUPPRESSION_COLUMNS}
        empty="No address on the list begins with it."
      />
      <p class="muted">
        {hasMore && `Only the first ${suppressions.length} are shown. Enter more of the address. `}
        To see whether an address may be mailed, enter all of it. To list a domain, enter it with an @, such
        as @example.com.
      </p>
    </Card>
  );
}
