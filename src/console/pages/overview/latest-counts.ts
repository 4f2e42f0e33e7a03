import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { COUNT_TIME_LIMIT_MS } from '../../../counts/counts.repository.js';
import { isDatabaseUnavailable } from '../../../database/is-database-unavailable.js';

const MAX_ACCOUNTS = 1_000;
const FRESH_MS = 60_000;
/** Counting a million records takes a second, and a page must not wait for that. */
const PATIENCE_MS = 50;

/** A count, and when it was made. */
export interface Counted<Result> {
  /** Null if the count took too long. */
  value: Result | null;
  at: Date;
}

/** The latest counts of each account. A count that is older than a minute is shown once more, and made again meanwhile. */
export class LatestCounts<Result extends object> {
  private readonly counts: LRUCache<number, Counted<Result>>;

  /** @param count - reads what belongs to an account, before a deadline */
  constructor(count: (accountId: number, deadline: number) => Promise<Result>) {
    this.counts = new LRUCache({
      max: MAX_ACCOUNTS,
      ttl: FRESH_MS,
      allowStale: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: (accountId, stale) =>
        count(accountId, performance.now() + COUNT_TIME_LIMIT_MS).then(
          (value) => ({ value, at: new Date() }),
          (error: unknown) => stale ?? withoutValue(error),
        ),
    });
  }

  /** @returns null while the first count is under way, which goes on for the next visit */
  async find(accountId: number): Promise<Counted<Result> | null> {
    const isKnown = new AbortController();
    try {
      const patience = delay(PATIENCE_MS, null, { signal: isKnown.signal });
      return (await Promise.race([this.counts.fetch(accountId), patience])) ?? null;
    } finally {
      isKnown.abort();
    }
  }
}

function withoutValue(error: unknown): Counted<never> {
  if (isDatabaseUnavailable(error)) {
    return { value: null, at: new Date() };
  }
  throw error;
}
