import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AccountContext } from '../../../audit/request-context.js';
import type { DailyChanges } from '../../../counts/changes-by-day.js';
import { COUNT_TIME_LIMIT_MS } from '../../../counts/counts.repository.js';
import { CountsService, type Summary } from '../../../counts/counts.service.js';
import { isDatabaseUnavailable } from '../../../database/errors.js';
import { SourceEventsRepository } from '../../../inbound/sources/source-events.repository.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import { errorOf } from '../../../provider-lists/dto/provider-list.dto.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { ProviderListsService } from '../../../provider-lists/provider-lists.service.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';

const MAX_ACCOUNTS = 1_000;
const FRESH_MS = 60_000;
/** How long a page waits for a count. Counting a million records takes a second. */
const PATIENCE_MS = 50;

/** A count, and when it was made. */
export interface Counted<Result> {
  /** Null if the count took too long. */
  value: Result | null;
  at: Date;
}

/** The latest counts of each account. A count that is older than a minute is shown once more while a new one is made. */
class LatestCounts<Result extends object> {
  private readonly counts: LRUCache<number, Counted<Result>>;

  /** @param count - reads what belongs to an account, before a deadline */
  constructor(count: (context: AccountContext) => Promise<Result>) {
    this.counts = new LRUCache({
      max: MAX_ACCOUNTS,
      ttl: FRESH_MS,
      allowStale: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: (accountId, stale) =>
        count({ accountId, deadline: performance.now() + COUNT_TIME_LIMIT_MS }).then(
          (value) => ({ value, at: new Date() }),
          (error: unknown) => stale ?? withoutValue(error),
        ),
    });
  }

  /** @returns null while the first count is running; it continues, so that a later visit finds the result */
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

const DAY_MS = 86_400_000;
const DAYS = 30;
const SILENT_DAYS = 7;

/** A source, and when it last reported something; null if it never did. */
export interface SilentSource {
  source: Source;
  lastAt: Date | null;
}

export interface Overview {
  /** Null while it is counted for the first time. */
  summary: Counted<Summary> | null;
  /** The last 30 days in UTC, the oldest first. */
  days: string[];
  /** The changes of these days; null while they are counted for the first time. */
  changes: Counted<DailyChanges[]> | null;
  /** Sources older than a week that have reported nothing for a week. */
  silent: SilentSource[];
  failing: Webhook[];
  /** Provider lists that have stopped, or whose last plan or push failed. */
  failingLists: ProviderList[];
}

@Injectable()
export class Overviews {
  private readonly summaries = new LatestCounts((context) => this.counts.summarize(context, new Date()));

  private readonly changes = new LatestCounts((context) =>
    this.counts.changesByDay(context, new Date(firstDay())),
  );

  constructor(
    private readonly counts: CountsService,
    private readonly sources: SourcesService,
    private readonly events: SourceEventsRepository,
    private readonly webhooks: WebhooksService,
    private readonly lists: ProviderListsService,
  ) {}

  async find(accountId: number): Promise<Overview> {
    const [summary, changes, silent, failing, lists] = await Promise.all([
      this.summaries.find(accountId),
      this.changes.find(accountId),
      this.findSilent(accountId),
      this.webhooks.findFailing(accountId),
      this.lists.findAll(accountId),
    ]);
    const failingLists = lists.filter((list) => errorOf(list) !== null);
    return { summary, days: lastDays(), changes, silent, failing, failingLists };
  }

  private async findSilent(accountId: number): Promise<SilentSource[]> {
    const sources = (await this.sources.list({ id: accountId })).filter(({ pausedAt }) => !pausedAt);
    const ids = sources.map(({ id }) => id);
    const received = await this.events.findLastReceived(accountId, ids);
    const silentSince = Date.now() - SILENT_DAYS * DAY_MS;
    return sources
      .map((source) => ({ source, lastAt: received.get(source.id) ?? null }))
      .filter(({ source, lastAt }) => (lastAt ?? source.createdAt).getTime() < silentSince);
  }
}

/** The beginning of the first of the last 30 days. */
function firstDay(): number {
  return (Math.floor(Date.now() / DAY_MS) - (DAYS - 1)) * DAY_MS;
}

function lastDays(): string[] {
  const first = firstDay();
  return Array.from({ length: DAYS }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
}
