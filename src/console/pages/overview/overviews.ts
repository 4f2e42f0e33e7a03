import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ChangesOfDay } from '../../../counts/changes-by-day.js';
import { COUNT_TIME_LIMIT_MS } from '../../../counts/counts.repository.js';
import { CountsService, type Summary } from '../../../counts/counts.service.js';
import { isDatabaseUnavailable } from '../../../database/is-database-unavailable.js';
import { LastReceivedRepository } from '../../../inbound/inbox/last-received.repository.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';

const DAY_MS = 86_400_000;
const DAYS = 30;
const SILENT_DAYS = 7;
const MAX_ACCOUNTS = 1_000;
const FRESH_MS = 60_000;
/** Leaves time to show the page without the counts. */
const PATIENCE_MS = 3_000;

/** A source, and when it last reported something; null if it never did. */
export interface SilentSource {
  source: Source;
  lastAt: Date | null;
}

export interface Overview {
  /** Null if the count takes too long. */
  summary: Summary | null;
  /** The last 30 days in UTC, the oldest first. */
  days: string[];
  /** The changes of these days; null if the count takes too long. */
  changes: ChangesOfDay[] | null;
  /** The sources from which nothing came for a week. */
  silent: SilentSource[];
  failing: Webhook[];
}

/** Counting a million records takes longer than a page may, so counts are up to a minute old. */
@Injectable()
export class Overviews {
  private readonly summaries = new LRUCache<number, Summary>({
    max: MAX_ACCOUNTS,
    ttl: FRESH_MS,
    fetchMethod: (accountId) => this.counts.summarize(accountId, new Date(), countDeadline()),
  });

  private readonly changes = new LRUCache<number, ChangesOfDay[]>({
    max: MAX_ACCOUNTS,
    ttl: FRESH_MS,
    fetchMethod: (accountId) => this.counts.changesByDay(accountId, new Date(firstDay()), countDeadline()),
  });

  constructor(
    private readonly counts: CountsService,
    private readonly sources: SourcesService,
    private readonly received: LastReceivedRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  async find(accountId: number): Promise<Overview> {
    const [summary, changes, silent, failing] = await Promise.all([
      soon(this.summaries.fetch(accountId)),
      soon(this.changes.fetch(accountId)),
      this.findSilent(accountId),
      this.webhooks.findFailing(accountId),
    ]);
    return { summary, days: lastDays(), changes, silent, failing };
  }

  private async findSilent(accountId: number): Promise<SilentSource[]> {
    const sources = (await this.sources.list({ id: accountId })).filter(({ pausedAt }) => !pausedAt);
    const ids = sources.map(({ id }) => id);
    const received = await this.received.find(accountId, ids);
    const silentSince = Date.now() - SILENT_DAYS * DAY_MS;
    return sources
      .map((source) => ({ source, lastAt: received.get(source.id) ?? null }))
      .filter(({ lastAt }) => !lastAt || lastAt.getTime() < silentSince);
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

function countDeadline(): number {
  return performance.now() + COUNT_TIME_LIMIT_MS;
}

/** Null if a count takes longer than a page may. It goes on, for the next visitor. */
async function soon<Result>(count: Promise<Result | undefined>): Promise<Result | null> {
  const isKnown = new AbortController();
  try {
    return (await Promise.race([count, delay(PATIENCE_MS, null, { signal: isKnown.signal })])) ?? null;
  } catch (error) {
    if (isDatabaseUnavailable(error)) {
      return null;
    }
    throw error;
  } finally {
    isKnown.abort();
  }
}
