import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { readFeedBacklogs } from '../../feed/feed-backlogs.js';
import { Metrics, OncePerScrape } from '../../metrics/metrics.js';
import type { DisabledReason } from '../webhook.entity.js';
import { IS_DUE } from './due-deliveries.js';
import { IS_BEHIND, IS_FREE } from './webhook-leases.repository.js';

const PREFIX = 'suppression_list_webhook';

/** Counters are initialized to zero, so that Prometheus sees the first increase. */
const DISABLING_REASONS: DisabledReason[] = ['gone', 'failing'];

/** Measures the deliveries of this instance, and the lag of all webhooks, which every instance reports. */
@Injectable()
export class WebhookMetrics {
  private readonly attempts: Counter<'result'>;
  private readonly disabled: Counter<'reason'>;
  private readonly delays: Histogram;
  private countHeld: () => number = () => 0;

  constructor({ registry }: Metrics, dataSource: DataSource) {
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
    const lags = new OncePerScrape<WebhookLag[]>([], () => readWebhookLags(dataSource));
    const collected: [
      name: string,
      help: string,
      read: (lags: WebhookLag[]) => number,
      aggregator?: 'max',
    ][] = [
      ['s_held', 'Webhooks that this instance delivers to now', () => this.countHeld()],
      ['s_failing', 'Webhooks whose last attempt failed', countFailing, 'max'],
      ['s_unserved', 'Webhooks that no instance delivers to', countUnserved, 'max'],
      ['_lag_seconds', 'Age of the oldest change that an endpoint has not received', longestLag, 'max'],
      ['_backlog_changes', 'Changes that wait to be sent', countBacklog, 'max'],
    ];
    for (const [name, help, read, aggregator = 'sum'] of collected) {
      const gauge: Gauge = new Gauge({
        name: PREFIX + name,
        help,
        aggregator,
        registers,
        collect: async () => gauge.set(read(await lags.get())),
      });
    }
  }

  /** @param countHeld - returns the number of held webhooks; called when metrics are collected */
  watch(countHeld: () => number): void {
    this.countHeld = countHeld;
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
}

function countFailing(lags: WebhookLag[]): number {
  return lags.filter(({ isFailing }) => isFailing).length;
}

function longestLag(lags: WebhookLag[]): number {
  const seconds = lags.map(({ since }) => (since ? (Date.now() - since.getTime()) / 1_000 : 0));
  return Math.max(0, ...seconds);
}

function countUnserved(lags: WebhookLag[]): number {
  return lags.filter(({ isUnserved }) => isUnserved).length;
}

function countBacklog(lags: WebhookLag[]): number {
  return lags.reduce((sum, { backlog }) => sum + backlog, 0);
}

/** Longer than instances take to claim a webhook, which is a second, except after its endpoint was unreachable. */
const UNSERVED_SECONDS = 30;

/** The lag of an enabled webhook behind the changes of its account. */
interface WebhookLag {
  /** Whether its last attempt failed. */
  isFailing: boolean;
  /** Whether it has had something to send for half a minute, and no instance holds it. */
  isUnserved: boolean;
  /** The number of changes after those that were delivered or are waiting for a retry. */
  backlog: number;
  /** The time of the oldest change that the endpoint has not received. Null if it has received all. */
  since: Date | null;
}

const FIND = new PreparedStatement<{
  accountId: number;
  position: string;
  isFailing: boolean;
  isFree: boolean;
  retriedSince: Date | null;
  dueSince: Date | null;
  now: Date;
}>(
  'find-webhooks-to-measure',
  `SELECT
    account_id AS "accountId",
    position,
    failing_since IS NOT NULL AS "isFailing",
    ${IS_FREE} AS "isFree",
    pending."retriedSince",
    pending."dueSince",
    now() AS now
  FROM webhooks
  CROSS JOIN LATERAL (
    SELECT
      min(created_at) FILTER (WHERE delivery.position IS NOT NULL) AS "retriedSince",
      min(next_attempt_at) FILTER (WHERE ${IS_DUE}) AS "dueSince"
    FROM webhook_deliveries AS delivery
    WHERE delivery.account_id = webhooks.account_id
      AND delivery.webhook_id = webhooks.id
      AND delivery.status = 'pending'
  ) AS pending
  WHERE status = 'enabled' AND (
      failing_since IS NOT NULL
      OR coalesce(pending."retriedSince", pending."dueSince") IS NOT NULL
      OR ${IS_BEHIND}
    )`,
);

/** The lags of the webhooks that are failing or behind. */
async function readWebhookLags(dataSource: DataSource): Promise<WebhookLag[]> {
  const webhooks = await FIND.run(dataSource, []);
  const backlogs = await readFeedBacklogs(dataSource, webhooks);
  return webhooks.map(({ isFailing, isFree, retriedSince, dueSince, now }, index) => {
    const { changes, since } = backlogs[index]!;
    const waitsSince = [dueSince, retriedSince ? null : since];
    const isUnserved = isFree && waitsSince.some((time) => time !== null && isLongBefore(time, now));
    return { isFailing, isUnserved, backlog: changes, since: retriedSince ?? since };
  });
}

function isLongBefore(time: Date, now: Date): boolean {
  return now.getTime() - time.getTime() > UNSERVED_SECONDS * 1_000;
}
