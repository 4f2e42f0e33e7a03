import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { COUNT_TIME_LIMIT_MS } from '../../../counts/counts.repository.js';
import { CountsService, type Summary } from '../../../counts/counts.service.js';
import { LastReceivedRepository } from '../../../inbound/inbox/last-received.repository.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { SourcesService } from '../../../inbound/sources/sources.service.js';
import {
  SuppressionChangesRepository,
  type ChangesOfDay,
} from '../../../ledger/suppression-changes.repository.js';
import { lowestIdAt } from '../../../suppressions/suppression-id.js';
import type { Webhook } from '../../../webhooks/webhook.entity.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';

const DAY_MS = 86_400_000;
const DAYS = 30;
const SILENT_DAYS = 7;
const MAX_ACCOUNTS = 1_000;
const FRESH_MS = 60_000;

/** A source, and when it last reported something; null if it never did. */
export interface SilentSource {
  source: Source;
  lastAt: Date | null;
}

export interface Overview {
  summary: Summary;
  /** The changes of the last 30 days. */
  changes: ChangesOfDay[];
  /** The sources from which nothing came for a week. */
  silent: SilentSource[];
  failing: Webhook[];
}

/** Counting a million records takes longer than a page may, so counts are up to a minute old. */
@Injectable()
export class Overviews {
  private readonly counted = new LRUCache<number, Pick<Overview, 'summary' | 'changes'>>({
    max: MAX_ACCOUNTS,
    ttl: FRESH_MS,
    fetchMethod: (accountId) => this.count(accountId),
  });

  constructor(
    private readonly counts: CountsService,
    private readonly ledger: SuppressionChangesRepository,
    private readonly sources: SourcesService,
    private readonly received: LastReceivedRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  async find(accountId: number): Promise<Overview> {
    const [counted, silent, failing] = await Promise.all([
      this.counted.fetch(accountId),
      this.findSilent(accountId),
      this.webhooks.findFailing(accountId),
    ]);
    return { ...counted!, silent, failing };
  }

  private async count(accountId: number): Promise<Pick<Overview, 'summary' | 'changes'>> {
    const now = new Date();
    const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
    const deadline = performance.now() + COUNT_TIME_LIMIT_MS;
    const [summary, changes] = await Promise.all([
      this.counts.summarize(accountId, now, deadline),
      this.ledger.countByDay(accountId, lowestIdAt(today - (DAYS - 1) * DAY_MS)),
    ]);
    return { summary, changes };
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
