import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { changeAt } from '../../feed/change-at.js';
import type { Webhook } from '../webhook.entity.js';
import { IS_DUE } from './due-deliveries.repository.js';

/** How long an instance that died keeps its webhooks. */
export const LEASE_MS = 45_000;
const LEASE = `interval '${LEASE_MS} milliseconds'`;
/** How long only the instance that requested a webhook may claim it. */
const HANDOVER = `interval '5 seconds'`;
const MAX_CLAIMED = 200;

export type ClaimedWebhook = Pick<
  Webhook,
  'accountId' | 'id' | 'version' | 'endpoint' | 'events' | 'signingSecrets' | 'position' | 'failingSince'
> & {
  /** The change at its position, null at the beginning of the feed. */
  changeId: string | null;
};

/** What the worker needs to know about a webhook that it holds. */
export interface WebhookState {
  id: string;
  version: number;
  isEnabled: boolean;
  isDue: boolean;
  /** Whether a delivery waits for its next attempt, and with it all later changes. */
  isBlocked: boolean;
  isWanted: boolean;
}

const CLAIM = new PreparedStatement<ClaimedWebhook>(
  'claim-webhooks',
  `UPDATE webhooks
  SET lease_id = $1, leased_until = now() + ${LEASE}, wanted_by = NULL
  FROM (
    SELECT account_id, id
    FROM webhooks
    WHERE status = 'enabled'
      AND (leased_until IS NULL OR leased_until < now() OR lease_id = $1)
      AND id <> ALL ($2)
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
    ${changeAt('webhooks.account_id', 'position')} AS "changeId",
    failing_since AS "failingSince"`,
);

/**
 * SQL: some of the webhooks that an instance holds. All statements lock webhooks before deliveries, and in this order, so
 * that they cannot deadlock.
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
  SET lease_id = wanted_by,
    leased_until = CASE WHEN wanted_by IS NOT NULL THEN now() + ${HANDOVER} END,
    wanted_by = NULL
  FROM (${HELD}) AS held
  WHERE webhooks.account_id = held.account_id AND webhooks.id = held.id`,
);

/** A requested webhook is counted for the instance that requested it. */
const REQUEST_SHARE = new PreparedStatement<{ id: string }>(
  'request-share-of-webhooks',
  `WITH shares AS (
    SELECT coalesce(wanted_by, lease_id) AS lease_id, count(*) AS webhooks
    FROM webhooks
    WHERE status = 'enabled' AND leased_until > now()
    GROUP BY 1
  ),
  largest AS (SELECT lease_id, webhooks FROM shares ORDER BY webhooks DESC LIMIT 1)
  UPDATE webhooks
  SET wanted_by = $1
  FROM (
    SELECT account_id, id
    FROM webhooks
    WHERE lease_id = (SELECT lease_id FROM largest) AND status = 'enabled' AND wanted_by IS NULL
    LIMIT (
      SELECT least((webhooks - coalesce((SELECT webhooks FROM shares WHERE lease_id = $1), 0)) / 2, $2) FROM largest
    )
    FOR UPDATE SKIP LOCKED
  ) AS wanted
  WHERE webhooks.account_id = wanted.account_id AND webhooks.id = wanted.id`,
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
    ) AS "isBlocked",
    wanted_by IS NOT NULL AS "isWanted"
  FROM webhooks
  WHERE lease_id = $1`,
);

const CHANGED = new PreparedStatement<{ id: string }>(
  'find-changed-webhooks',
  `SELECT known.id
  FROM unnest($1::uuid[], $2::integer[]) AS known (id, version)
  WHERE NOT EXISTS (
    SELECT FROM webhooks WHERE id = known.id AND version = known.version AND status = 'enabled'
  )`,
);

/** Leases of webhooks. The holder of one delivers to the webhook. */
@Injectable()
export class WebhookLeasesRepository {
  readonly leaseId = randomUUID();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Claims webhooks that no instance holds, or that another one handed over. */
  claim(exceptIds: string[]): Promise<ClaimedWebhook[]> {
    return CLAIM.run(this.dataSource, [this.leaseId, exceptIds]);
  }

  /** @returns the ids of the webhooks whose leases were renewed, since no other instance had taken them */
  async renew(ids: string[]): Promise<string[]> {
    return (await RENEW.run(this.dataSource, [this.leaseId, ids])).map(({ id }) => id);
  }

  /** Releases webhooks, to the instance that requested them if there is one. */
  async release(ids: string[]): Promise<void> {
    await RELEASE.run(this.dataSource, [this.leaseId, ids]);
  }

  /**
   * Requests half of the difference from the instance that holds the most webhooks. Instances whose numbers differ by one
   * request nothing, so webhooks do not move back and forth.
   */
  async requestShare(limit: number): Promise<void> {
    await REQUEST_SHARE.run(this.dataSource, [this.leaseId, limit]);
  }

  /** @returns the ids of the webhooks that were changed since they had these versions, or are disabled or deleted */
  async findChanged(versions: Map<string, number>): Promise<string[]> {
    const changed = await CHANGED.run(this.dataSource, [[...versions.keys()], [...versions.values()]]);
    return changed.map(({ id }) => id);
  }

  async readStates(): Promise<Map<string, WebhookState>> {
    const states = await STATES.run(this.dataSource, [this.leaseId]);
    return new Map(states.map((state) => [state.id, state]));
  }
}
