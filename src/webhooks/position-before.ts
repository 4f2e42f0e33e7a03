import type { AccountContext } from '../audit/request-context.js';
import { LONGEST_WRITE_MS, requireTime } from '../database/transaction.js';
import type { FeedService } from '../feed/feed.service.js';

/** Finds a position in the feed that precedes all changes since a time, and possibly a few older ones. */
export async function findPositionBefore(
  feed: FeedService,
  { accountId, deadline }: AccountContext,
  since: Date,
): Promise<number> {
  // The timestamp of a change is taken before its commit.
  const time = since.getTime() - LONGEST_WRITE_MS;
  let low = 0;
  let high = (await feed.head(accountId)).position;
  while (low < high) {
    requireTime(deadline);
    const middle = Math.floor((low + high) / 2);
    const { changes } = await feed.read(accountId, { position: middle, changeId: null }, 1);
    if (changes[0] && Date.parse(changes[0].createdAt) < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
