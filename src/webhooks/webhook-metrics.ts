import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { FeedService } from '../feed/feed.service.js';
import { Metrics } from '../metrics/metrics.js';
import type { HeldWebhook } from './held-webhook.js';
import type { DisabledReason } from './webhook.entity.js';

const PREFIX = 'suppression_list_webhook';

/** Their counters begin at zero, so that Prometheus sees the first increase. */
const DISABLING_REASONS: DisabledReason[] = ['gone', 'failing'];

/** How far the webhooks that this instance delivers to are behind. */
@Injectable()
export class WebhookMetrics {
  private readonly attempts: Counter<'result'>;
  private readonly disabled: Counter<'reason'>;
  private readonly delays: Histogram;
  private held: () => HeldWebhook[] = () => [];

  private lastBacklog = 0;

  constructor(
    { registry }: Metrics,
    private readonly feed: FeedService,
  ) {
    const registers = [registry];
    this.attempts = new Counter({
      name: `${PREFIX}_attempts_total`,
      help: 'Requests to endpoints of webhooks',
      labelNames: ['result'],
      registers,
    });
    this.disabled = new Counter({
      name: `${PREFIX}s_disabled_total`,
      help: 'Webhooks that were disabled because of their endpoint',
      labelNames: ['reason'],
      registers,
    });
    DISABLING_REASONS.forEach((reason) => this.disabled.inc({ reason }, 0));
    this.delays = new Histogram({
      name: `${PREFIX}_delay_seconds`,
      help: 'From a change to the response of an endpoint that received it',
      buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 60, 600, 3_600, 36_000],
      registers,
    });
    const collected: [
      name: string,
      help: string,
      read: () => number | Promise<number>,
      aggregator?: 'max',
    ][] = [
      ['s_held', 'Webhooks that this instance delivers to', () => this.held().length],
      ['s_failing', 'Webhooks whose last attempt failed', () => this.held().filter(isFailing).length],
      [
        '_lag_seconds',
        'Age of the oldest change that an endpoint has not received',
        () => Math.max(0, ...this.held().map(lagOf)),
        'max',
      ],
      ['_backlog_changes', 'Changes that endpoints have not received', () => this.backlog()],
    ];
    for (const [name, help, read, aggregator = 'sum'] of collected) {
      const gauge: Gauge = new Gauge({
        name: PREFIX + name,
        help,
        aggregator,
        registers,
        collect: async () => gauge.set(await read()),
      });
    }
  }

  /** @param held - reads the webhooks when metrics are collected */
  watch(held: () => HeldWebhook[]): void {
    this.held = held;
  }

  /** @param seconds - since the event happened */
  countSuccess(seconds: number): void {
    this.attempts.inc({ result: 'success' });
    this.delays.observe(seconds);
  }

  countFailure(): void {
    this.attempts.inc({ result: 'failure' });
  }

  countDisabled(reason: DisabledReason): void {
    this.disabled.inc({ reason });
  }

  /** Keeps the last value while the database is unavailable. */
  private async backlog(): Promise<number> {
    const held = this.held();
    try {
      const heads = await this.feed.heads(held.map(({ accountId }) => accountId));
      for (const [accountId, head] of heads) {
        heads.set(accountId, Number.isFinite(head) ? head : (await this.feed.head(accountId)).position);
      }
      const behind = held.map(({ accountId, position }) => Math.max(0, heads.get(accountId)! - position));
      this.lastBacklog = behind.reduce((sum, changes) => sum + changes, 0);
    } catch {
      // The worker reports the problem.
    }
    return this.lastBacklog;
  }
}

function isFailing({ failingSince }: HeldWebhook): boolean {
  return failingSince !== null;
}

function lagOf({ waitingSince }: HeldWebhook): number {
  return waitingSince === null ? 0 : (Date.now() - waitingSince) / 1_000;
}
