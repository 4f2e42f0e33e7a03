import { Injectable } from '@nestjs/common';
import { CursorGoneError, type FeedPosition } from '../ledger/feed-position.js';
import type { FeedChange } from './feed-change.js';
import { FeedWaiters } from './feed-waiters.js';
import { FeedRepository, type FeedServer, type FeedSlice } from './feed.repository.js';

export interface ReadChanges {
  changes: FeedChange[];
  /** The position of the last change, from which to continue. On an empty page, the position that was asked for. */
  position: FeedPosition;
  hasMore: boolean;
}

/**
 * Reads the changes of an account, in an order in which no reader can miss one.
 *
 * Writers announce changes without touching a common row. A change gets its position after its commit, when somebody reads: a
 * pass locks the head of the feed, takes the committed announcements, and numbers their changes.
 *
 * * Only committed changes have positions, because a pass sees no others.
 * * Passes of an account exclude each other, and each one begins where the last one ended: PostgreSQL releases a lock after the
 *   commit is visible.
 * * A pass commits its changes together with the head, so a reader that sees a position sees all positions before it. A pass
 *   that fails leaves no hole.
 * * A change that commits late gets a later position.
 * * The changes of one record, and of one preference, are in the order of their revisions: the second writer waits for the lock
 *   of the first, so it commits later and its announcement has a higher id, and passes take the lowest ids first.
 */
@Injectable()
export class FeedService {
  constructor(
    private readonly feed: FeedRepository,
    private readonly waiters: FeedWaiters,
  ) {}

  /**
   * The changes after a position, among them all that were committed before the call if there are no more than `limit`.
   *
   * @throws {CursorGoneError} when the feed has another change at the position
   */
  async read(
    accountId: number,
    after: FeedPosition,
    limit: number,
    server: FeedServer = 'primary',
  ): Promise<ReadChanges> {
    let slice = await this.feed.read(accountId, after.position, limit, server);
    if (slice.changes.length < limit && slice.hasPending) {
      await this.feed.numberPending(accountId);
      slice = await this.feed.read(accountId, after.position, limit, 'primary');
    }
    requireSameFeed(after, slice);
    const { changes, head, hasPending } = slice;
    const last = changes.at(-1);
    return {
      changes,
      position: last ? { position: last.position, changeId: last.id } : after,
      hasMore: head > (last?.position ?? after.position) || (hasPending && changes.length === limit),
    };
  }

  /**
   * Like {@link read}, but if there is nothing to return, it waits for a change.
   *
   * @param wait - `disconnected` is aborted when the caller disconnects
   * @throws {CursorGoneError}
   * @throws {ServiceUnavailableError} when too many requests are already waiting
   */
  async readOrWait(
    accountId: number,
    after: FeedPosition,
    limit: number,
    { milliseconds, disconnected }: { milliseconds: number; disconnected: AbortSignal },
  ): Promise<ReadChanges> {
    const read = await this.read(accountId, after, limit, 'replica');
    if (milliseconds === 0 || read.changes.length > 0) {
      return read;
    }
    await this.waiters.wait(accountId, after.position, milliseconds, disconnected);
    return this.read(accountId, after, limit);
  }

  /** The end of the feed. Every change that is committed later, and none that was committed before the call, comes after it. */
  async head(accountId: number): Promise<FeedPosition> {
    while (await this.feed.numberPending(accountId));
    const { head, headId } = await this.feed.read(accountId, 0, 0, 'primary');
    return { position: head, changeId: headId };
  }
}

function requireSameFeed({ position, changeId }: FeedPosition, { head, previousId }: FeedSlice): void {
  if (position > head || (changeId !== null && changeId !== previousId)) {
    throw new CursorGoneError();
  }
}
