import type { AddressFilter } from './address-filter.js';
import type { Copy } from './copy.js';
import type { OnProgress } from './progress.js';
import { TimeSlice } from './time-slice.js';

const KEYS_PER_CLOCK_CHECK = 100;
const TOPIC_ID_LENGTH = 36;

/**
 * Adds the addresses of a copy to a filter.
 *
 * @throws the reason of `signal`, when that is aborted first
 */
export async function fillFilter(
  filter: AddressFilter,
  { records, preferences }: Copy,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<void> {
  let rows = 0;
  for (const [keys, start] of [
    [records.getKeys(), 0],
    [preferences.getKeys(), TOPIC_ID_LENGTH],
  ] as const) {
    const slice = new TimeSlice();
    for (const key of keys) {
      filter.add(key.slice(start));
      if (++rows % KEYS_PER_CLOCK_CHECK === 0 && slice.isOver) {
        await slice.end();
        signal?.throwIfAborted();
        onProgress({ step: 'indexing', rows });
      }
    }
  }
  onProgress({ step: 'indexing', rows });
}
