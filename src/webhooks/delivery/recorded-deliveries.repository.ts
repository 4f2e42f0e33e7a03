import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { changeAt } from '../../feed/change-at.js';
import type { WebhookDelivery } from '../webhook-delivery.entity.js';
import type { HeldWebhook } from './held-webhook.js';
import { WebhookLeasesRepository } from './webhook-leases.repository.js';

/** The row of a delivery must not grow without limit. */
const MAX_ATTEMPTS_KEPT = 20;

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

/**
 * A webhook keeps its state if it was changed meanwhile, or if its feed has another change at the position because a failover
 * lost changes that were delivered. For a webhook that was deleted or taken over, nothing is stored: the new holder repeats the
 * deliveries.
 */
const RECORD = new PreparedStatement<{ id: string }>(
  'record-deliveries',
  `WITH held AS MATERIALIZED (
    SELECT
      webhooks.account_id,
      webhooks.id,
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

@Injectable()
export class RecordedDeliveriesRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly leases: WebhookLeasesRepository,
  ) {}

  /** Stores the results of deliveries and the positions of webhooks in one statement. */
  async record(deliveries: RecordedDelivery[], webhooks: HeldWebhook[]): Promise<void> {
    const states = webhooks.map(
      ({ accountId, id, version, position, changeId, failingSince, disabledReason }) => ({
        accountId,
        webhookId: id,
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
