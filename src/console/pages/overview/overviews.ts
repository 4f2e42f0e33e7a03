import { Injectable } from '@nestjs/common';
import type { DailyChanges } from '../../../counts/changes-by-day.js';
import { CountsService, type Summary } from '../../../counts/counts.service.js';
import { LastReceivedRepository } from '../../../inbound/inbox/last-received.repository.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { LatestCounts, type Counted } from './latest-counts.js';

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
  /** The sources from which nothing came for a week, and which are older than that. */
  silent: SilentSource[];
  failing: Webhook[];
}

@Injectable()
export class Overviews {
  private readonly summaries = new LatestCounts((accountId, deadline) =>
    this.counts.summarize({ accountId, deadline }, new Date()),
  );

  private readonly changes = new LatestCounts((accountId, deadline) =>
    this.counts.changesByDay({ accountId, deadline }, new Date(firstDay())),
  );

  constructor(
    private readonly counts: CountsService,
    private readonly sources: SourcesService,
    private readonly received: LastReceivedRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  async find(accountId: number): Promise<Overview> {
    const [summary, changes, silent, failing] = await Promise.all([
      this.summaries.find(accountId),
      this.changes.find(accountId),
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
