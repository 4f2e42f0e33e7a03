import type { JSX } from 'preact';
import type { FoundSuppression } from '../../../suppressions/suppression-lookup.js';
import { SuppressionsTable } from '../../components/suppressions-table.js';
import { quote } from '../../components/words.js';

/** The suppressed addresses that begin with what a person entered. */
export interface PrefixResult {
  prefix: string;
  suppressions: FoundSuppression[];
  /** Whether others also begin with it. */
  hasMore: boolean;
}

export function WithPrefix({ prefix, suppressions, hasMore }: PrefixResult): JSX.Element {
  const caption = `Suppressed addresses that begin with ${quote(prefix)}`;
  return (
    <section class="card">
      <h2>{caption}</h2>
      <SuppressionsTable
        caption={caption}
        suppressions={suppressions}
        empty="No address on the list begins with it."
      />
      <p class="muted">
        {hasMore && `Only the first ${suppressions.length} are shown. Enter more of the address. `}
        To see whether an address may be mailed, enter all of it. To list a domain, enter it with an @, such
        as @example.com.
      </p>
    </section>
  );
}
