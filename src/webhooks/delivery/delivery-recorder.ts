import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { changeAt } from '../../ledger/feed-position.js';
import type { WebhookDelivery } from '../webhook-delivery.entity.js';
import type { HeldWebhook } from './webhook-leases.js';
import { WebhookLeasesRepository } from './webhook-leases.repository.js';

/** Limits the size of a delivery's row. */
const MAX_ATTEMPTS_KEPT = 20;

export interface RecordedDelivery extends Pick<
  WebhookDelivery,
  | 'accountId'
  | 'webhookId'
  | 'id'
  | 'type'
  | 'body'
  | 'status'
  | 'position'
  | 'tries'
  | 'nextAttemptAt'
  | 'attempts'
  | 'createdAt'
> {
  /** When the attempt was due, as it was read; null if the event came from the feed. */
  dueAt: Date | null;
}

/**
 * Stores results and positions. A webhook keeps its state if it was changed meanwhile, or if its feed has another change at the
 * position because a failover lost delivered changes. For a webhook that was deleted or taken over, nothing is stored: the new
 * holder repeats the deliveries. A delivery that was replayed during its attempt stays due. One that failed is due at once if the
 * webhook was changed meanwhile, and the attempt does not use up a retry.
 */
const RECORD = new PreparedStatement<{ id: string }>(
  'record-deliveries',
  `WITH held AS MATERIALIZED (
    SELECT
      webhooks.account_id,
      webhooks.id,
      webhooks.version <> state.version AS is_changed,
      webhooks.version = state.version
        AND state."changeId" IS NOT DISTINCT FROM ${changeAt('state."accountId"', 'state.position')} AS is_current,
      state.*
    FROM jsonb_to_recordset($3::jsonb) AS state (
      "accountId" integer, "webhookId" uuid, version integer, position bigint, "changeId" uuid, "failingSince" timestamptz,
      "disabledReason" text
    )
    JOIN webhooks ON webhooks.account_id = state."accountId" AND webhooks.id = state."webhookId"
    WHERE webhooks.lease_id = $1
    ORDER BY webhooks.account_id, webhooks.id
    FOR NO KEY UPDATE OF webhooks
  ),
  moved AS (
    UPDATE webhooks
    SET position = held.position,
      failing_since = held."failingSince",
      status = CASE WHEN held."disabledReason" IS NULL THEN 'enabled' ELSE 'disabled' END::webhook_status,
      disabled_reason = held."disabledReason",
      disabled_at = CASE WHEN held."disabledReason" IS NOT NULL THEN now() END
    FROM held
    WHERE webhooks.account_id = held.account_id AND webhooks.id = held.id AND held.is_current
  ),
  delivered AS MATERIALIZED (
    SELECT delivery.*, delivery.status = 'pending' AND webhook.is_changed AS is_retried
    FROM jsonb_to_recordset($2::jsonb) AS delivery (
      "accountId" integer, "webhookId" uuid, id uuid, type text, body text, status webhook_delivery_status,
      position bigint, tries integer, "nextAttemptAt" timestamptz, attempts jsonb, "createdAt" timestamptz,
      "dueAt" timestamptz
    )
    JOIN (
      SELECT account_id, id, bool_and(is_changed) AS is_changed FROM held GROUP BY account_id, id
    ) AS webhook ON webhook.account_id = delivery."accountId" AND webhook.id = delivery."webhookId"
  ),
  replayed AS MATERIALIZED (
    SELECT known.account_id, known.webhook_id, known.id, known.status, known.position, known.tries, known.next_attempt_at
    FROM delivered
    JOIN webhook_deliveries AS known
      ON known.account_id = delivered."accountId" AND known.webhook_id = delivered."webhookId" AND known.id = delivered.id
    WHERE delivered."dueAt" IS NOT NULL AND known.next_attempt_at <> delivered."dueAt"
    FOR NO KEY UPDATE OF known
  )
  INSERT INTO webhook_deliveries AS known (
    account_id, webhook_id, id, type, body, status, position, tries, next_attempt_at, attempts, created_at
  )
  SELECT
    delivered."accountId", delivered."webhookId", delivered.id, delivered.type, delivered.body,
    coalesce(replayed.status, delivered.status),
    CASE WHEN replayed.id IS NULL THEN delivered.position ELSE replayed.position END,
    coalesce(replayed.tries, greatest(delivered.tries - delivered.is_retried::integer, 0)),
    coalesce(replayed.next_attempt_at, CASE WHEN delivered.is_retried THEN now() ELSE delivered."nextAttemptAt" END),
    delivered.attempts, delivered."createdAt"
  FROM delivered
  LEFT JOIN replayed
    ON replayed.account_id = delivered."accountId" AND replayed.webhook_id = delivered."webhookId" AND replayed.id = delivered.id
  ON CONFLICT (account_id, webhook_id, id) DO UPDATE
  SET status = excluded.status,
    position = excluded.position,
    tries = excluded.tries,
    next_attempt_at = excluded.next_attempt_at,
    attempts = CASE
      WHEN jsonb_array_length(known.attempts || excluded.attempts) > ${MAX_ATTEMPTS_KEPT} THEN known.attempts - 0
      ELSE known.attempts
    END || excluded.attempts`,
);

/** Collects the results of all webhooks, and stores them together. A crash before that repeats deliveries, but loses none. */
@Injectable()
export class DeliveryRecorder {
  private deliveries = new Map<string, RecordedDelivery>();
  private webhooks = new Set<HeldWebhook>();
  private writing: Promise<void> = Promise.resolve();
  /** The write after the present one, which all who wait share. */
  private next: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly leases: WebhookLeasesRepository,
  ) {}

  record(webhook: HeldWebhook, deliveries: RecordedDelivery[]): void {
    this.webhooks.add(webhook);
    deliveries.forEach((delivery) => this.add(delivery));
  }

  /** Resolves when everything that was recorded before the call is stored. */
  flush(): Promise<void> {
    this.next ??= this.writing
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        this.writing = this.write();
        return this.writing;
      });
    return this.next;
  }

  private add(delivery: RecordedDelivery): void {
    const key = `${delivery.webhookId} ${delivery.id}`;
    const { attempts = [], dueAt = delivery.dueAt } = this.deliveries.get(key) ?? {};
    this.deliveries.set(key, { ...delivery, dueAt, attempts: [...attempts, ...delivery.attempts] });
  }

  private async write(): Promise<void> {
    const { deliveries, webhooks } = this;
    if (webhooks.size === 0) {
      return;
    }
    this.deliveries = new Map();
    this.webhooks = new Set();
    try {
      await this.store([...deliveries.values()], [...webhooks]);
    } catch (error) {
      const later = this.deliveries;
      this.deliveries = deliveries;
      later.forEach((delivery) => this.add(delivery));
      this.webhooks = new Set([...webhooks, ...this.webhooks]);
      throw error;
    }
  }

  /** Stores the results of deliveries and the positions of webhooks in one statement. */
  protected async store(deliveries: RecordedDelivery[], webhooks: HeldWebhook[]): Promise<void> {
    const states = webhooks.map(
      ({ accountId, id: webhookId, version, position, changeId, failingSince, disabledReason }) => ({
        accountId,
        webhookId,
        version,
        position,
        changeId,
        failingSince,
        disabledReason,
      }),
    );
    const values = [this.leases.leaseId, JSON.stringify(deliveries), JSON.stringify(states)];
    await RECORD.run(this.dataSource, values);
  }
}
