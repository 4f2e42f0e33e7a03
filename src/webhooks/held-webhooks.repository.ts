import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { IS_DUE } from './due-deliveries.repository.js';
import type { HeldWebhook } from './held-webhook.js';
import type { WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

/** How long an instance that died keeps its webhooks. */
export const LEASE_MS = 45_000;
const LEASE = `interval '${LEASE_MS} milliseconds'`;
const MAX_CLAIMED = 200;
/** The row of a delivery must not grow without limit. */
const MAX_ATTEMPTS_KEPT = 20;
const RETENTION = `interval '30 days'`;
const MAX_SWEPT = 1_000;

export type ClaimedWebhook = Pick<
  Webhook,
  'accountId' | 'id' | 'version' | 'endpoint' | 'events' | 'signingSecrets' | 'position' | 'failingSince'
>;

/** What the worker needs to know of a webhook that it holds. */
export interface WebhookState {
  id: string;
  version: number;
  isEnabled: boolean;
  /** Whether deliveries are due now. */
  isDue: boolean;
  /** Whether a delivery waits for its next attempt, and with it all later changes. */
  isBlocked: boolean;
}

export type RecordedDelivery = Pick<
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
>;

const CLAIM = new PreparedStatement<ClaimedWebhook>(
  'claim-webhooks',
  `UPDATE webhooks
  SET lease_id = $1, leased_until = now() + ${LEASE}
  FROM (
    SELECT account_id, id
    FROM webhooks
    WHERE status = 'enabled' AND (leased_until IS NULL OR leased_until < now()) AND id <> ALL ($2)
    LIMIT ${MAX_CLAIMED}
    FOR UPDATE SKIP LOCKED
  ) AS free
  WHERE webhooks.account_id = free.account_id AND webhooks.id = free.id
  RETURNING
    webhooks.account_id AS "accountId",
    webhooks.id,
    version,
    endpoint,
    events,
    signing_secrets AS "signingSecrets",
    position,
    failing_since AS "failingSince"`,
);

/**
 * SQL: some of the webhooks that an instance holds. All statements lock webhooks before deliveries, and in this order, so
 * that they never wait for each other in a circle.
 */
const HELD = `
  SELECT account_id, id FROM webhooks WHERE lease_id = $1 AND id = ANY ($2) ORDER BY account_id, id FOR NO KEY UPDATE`;

const RENEW = new PreparedStatement<{ id: string }>(
  'renew-webhook-leases',
  `UPDATE webhooks
  SET leased_until = now() + ${LEASE}
  FROM (${HELD}) AS held
  WHERE webhooks.account_id = held.account_id AND webhooks.id = held.id
  RETURNING webhooks.id`,
);

const RELEASE = new PreparedStatement<{ id: string }>(
  'release-webhooks',
  `UPDATE webhooks
  SET lease_id = NULL, leased_until = NULL
  FROM (${HELD}) AS held
  WHERE webhooks.account_id = held.account_id AND webhooks.id = held.id`,
);

const STATES = new PreparedStatement<WebhookState>(
  'read-webhook-states',
  `SELECT
    id,
    version,
    status = 'enabled' AS "isEnabled",
    EXISTS (
      SELECT FROM webhook_deliveries AS delivery
      WHERE account_id = webhooks.account_id AND webhook_id = webhooks.id AND ${IS_DUE}
    ) AS "isDue",
    EXISTS (
      SELECT FROM webhook_deliveries
      WHERE account_id = webhooks.account_id AND webhook_id = webhooks.id
        AND webhook_deliveries.status = 'pending' AND webhook_deliveries.position IS NOT NULL
    ) AS "isBlocked"
  FROM webhooks
  WHERE lease_id = $1`,
);

/**
 * A webhook that was changed meanwhile keeps its state. Of one that was deleted or taken over, nothing is stored: whoever
 * took it over repeats the deliveries.
 */
const RECORD = new PreparedStatement<{ id: string }>(
  'record-deliveries',
  `WITH held AS MATERIALIZED (
    SELECT webhooks.account_id, webhooks.id, webhooks.version = state.version AS is_current, state.*
    FROM jsonb_to_recordset($3::jsonb) AS state (
      "accountId" integer, "webhookId" uuid, version integer, position bigint, "failingSince" timestamptz, "disabledReason" text
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
  )
  INSERT INTO webhook_deliveries AS known (
    account_id, webhook_id, id, type, body, status, position, tries, next_attempt_at, attempts, created_at
  )
  SELECT
    delivery."accountId", delivery."webhookId", delivery.id, delivery.type, delivery.body, delivery.status,
    delivery.position, delivery.tries, delivery."nextAttemptAt", delivery.attempts, delivery."createdAt"
  FROM jsonb_to_recordset($2::jsonb) AS delivery (
    "accountId" integer, "webhookId" uuid, id uuid, type text, body text, status webhook_delivery_status,
    position bigint, tries integer, "nextAttemptAt" timestamptz, attempts jsonb, "createdAt" timestamptz
  )
  WHERE EXISTS (SELECT FROM held WHERE held.account_id = delivery."accountId" AND held.id = delivery."webhookId")
  ON CONFLICT (account_id, webhook_id, id) DO UPDATE
  SET status = excluded.status,
    position = excluded.position,
    tries = excluded.tries,
    next_attempt_at = excluded.next_attempt_at,
    attempts = CASE
      WHEN jsonb_array_length(known.attempts) >= ${MAX_ATTEMPTS_KEPT} THEN known.attempts - 0
      ELSE known.attempts
    END || excluded.attempts`,
);

const SWEEP = new PreparedStatement<{ id: string }>(
  'sweep-deliveries',
  `DELETE FROM webhook_deliveries
  USING (
    SELECT account_id, webhook_id, id
    FROM webhook_deliveries
    WHERE status <> 'pending' AND recorded_at < now() - ${RETENTION}
    ORDER BY recorded_at
    LIMIT ${MAX_SWEPT}
    FOR UPDATE SKIP LOCKED
  ) AS expired
  WHERE webhook_deliveries.account_id = expired.account_id
    AND webhook_deliveries.webhook_id = expired.webhook_id
    AND webhook_deliveries.id = expired.id
  RETURNING webhook_deliveries.id`,
);

/** The webhooks that this instance holds by lease, and their deliveries. */
@Injectable()
export class HeldWebhooksRepository {
  /** Of this instance. */
  readonly leaseId = randomUUID();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Takes webhooks that no instance holds, except some. */
  claim(exceptIds: string[]): Promise<ClaimedWebhook[]> {
    return CLAIM.run(this.dataSource, [this.leaseId, exceptIds]);
  }

  /** @returns the ids of the webhooks whose leases were renewed, since no other instance had taken them */
  async renew(ids: string[]): Promise<string[]> {
    return (await RENEW.run(this.dataSource, [this.leaseId, ids])).map(({ id }) => id);
  }

  async release(ids: string[]): Promise<void> {
    await RELEASE.run(this.dataSource, [this.leaseId, ids]);
  }

  async states(): Promise<Map<string, WebhookState>> {
    const states = await STATES.run(this.dataSource, [this.leaseId]);
    return new Map(states.map((state) => [state.id, state]));
  }

  /** Stores what became of deliveries, and how far webhooks are, in one statement. */
  async record(deliveries: RecordedDelivery[], webhooks: HeldWebhook[]): Promise<void> {
    const states = webhooks.map(({ accountId, id, version, position, failingSince, disabledReason }) => ({
      accountId,
      webhookId: id,
      version,
      position,
      failingSince,
      disabledReason,
    }));
    await RECORD.run(this.dataSource, [this.leaseId, JSON.stringify(deliveries), JSON.stringify(states)]);
  }

  /** @returns whether there may be more deliveries to delete */
  async deleteExpired(): Promise<boolean> {
    return (await SWEEP.run(this.dataSource, [])).length === MAX_SWEPT;
  }
}
