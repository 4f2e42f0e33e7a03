import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountRounds, isWholeRound } from '../../accounts/account-rounds.js';
import { WEBHOOK_LEASE_SECONDS } from '../../config/time-limits.js';
import { accountsWith } from '../../database/accounts-with.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { changeAt } from '../../ledger/feed-position.js';
import type { Webhook } from '../webhook.entity.js';
import { IS_DUE } from './due-deliveries.js';

/** A webhook with something to send, as it is when an instance claims it. */
export type ClaimedWebhook = Pick<
  Webhook,
  'accountId' | 'id' | 'version' | 'endpoint' | 'events' | 'signingSecrets' | 'position' | 'failingSince'
> & {
  /**
   * The id of the change at the webhook's position, which proves that the feed is still the same one. Null at the beginning.
   */
  changeId: string | null;
  /** Whether stored deliveries are due. */
  isDue: boolean;
  /** Whether a delivery is waiting for its next attempt, and all later changes with it. */
  isBlocked: boolean;
};

/** A pass over this many accounts takes some milliseconds, and there are several passes per second. */
const ACCOUNTS_PER_PASS = 1_000;

/**
 * SQL: no instance holds the webhook. A lease that ends later than a new one would was given before the clock was set back. It
 * counts if the difference is small, because it may also be a new one that a concurrent claim has just given.
 */
export const IS_FREE = `(
  lease_id IS NULL OR leased_until NOT BETWEEN now() AND now() + interval '${2 * WEBHOOK_LEASE_SECONDS} seconds'
)`;

/**
 * SQL: the feed has changes after the position of the webhook. LIMIT keeps plans from reading the pending changes of all
 * accounts.
 */
export const IS_BEHIND = `(
  (SELECT true FROM feed_pending WHERE feed_pending.account_id = webhooks.account_id LIMIT 1)
  OR position < (SELECT last_position FROM feed_heads WHERE feed_heads.account_id = webhooks.account_id)
)`;

const HAS_DUE = `EXISTS (
  SELECT FROM webhook_deliveries AS delivery
  WHERE account_id = webhooks.account_id AND webhook_id = webhooks.id AND ${IS_DUE}
)`;

/** SQL: a delivery is waiting for its next attempt, and all later changes with it. */
const IS_BLOCKED = `EXISTS (
  SELECT FROM webhook_deliveries
  WHERE account_id = webhooks.account_id AND webhook_id = webhooks.id
    AND webhook_deliveries.status = 'pending' AND webhook_deliveries.position IS NOT NULL
)`;

/**
 * Claims the webhooks that were released longest ago.
 *
 * @param condition - SQL condition for the webhooks to claim
 */
const claimOf = (name: string, condition: string) =>
  new PreparedStatement<{ id: string }>(
    name,
    `UPDATE webhooks
    SET lease_id = $1, leased_until = now() + interval '${WEBHOOK_LEASE_SECONDS} seconds'
    FROM (
      SELECT account_id, id
      FROM webhooks
      WHERE ${condition}
        AND ${IS_FREE}
        AND id <> ALL ($2)
        AND (${HAS_DUE} OR (${IS_BEHIND} AND NOT ${IS_BLOCKED}))
      ORDER BY leased_until NULLS FIRST
      LIMIT $3
      FOR UPDATE SKIP LOCKED
    ) AS free
    WHERE webhooks.account_id = free.account_id AND webhooks.id = free.id
    RETURNING webhooks.id`,
  );

const CLAIM = claimOf('claim-webhooks', `status = 'enabled'`);

/**
 * Used if there are very many webhooks. Claims those of accounts with changes that have no position yet, and those of the
 * accounts of a pass. The form of the status condition keeps plans from reading the partial index of all enabled webhooks.
 */
const CLAIM_SOME = claimOf(
  'claim-some-webhooks',
  `status IS NOT DISTINCT FROM 'enabled' AND account_id = ANY (ARRAY(
    (SELECT account_id FROM ${accountsWith('feed_pending', '$4')} AS pending LIMIT ${ACCOUNTS_PER_PASS})
    UNION
    (SELECT account_id FROM ${accountsWith('feed_pending')} AS pending LIMIT ${ACCOUNTS_PER_PASS})
    UNION
    SELECT account_id FROM webhooks WHERE account_id > $4 AND account_id <= $5
  ))`,
);

/**
 * Separate from `CLAIM`, so that it sees what the previous holder recorded. `CLAIM` may have waited for that transaction, but
 * sees only deliveries that were committed before it began.
 */
const READ = new PreparedStatement<ClaimedWebhook>(
  'read-claimed-webhooks',
  `SELECT
    account_id AS "accountId",
    id,
    version,
    endpoint,
    events,
    signing_secrets AS "signingSecrets",
    position,
    ${changeAt('webhooks.account_id', 'webhooks.position')} AS "changeId",
    failing_since AS "failingSince",
    ${HAS_DUE} AS "isDue",
    ${IS_BLOCKED} AS "isBlocked"
  FROM webhooks
  WHERE lease_id = $1 AND id = ANY ($2)`,
);

/** All statements lock webhooks before deliveries, and in this order, so that they cannot deadlock. */
const RELEASE = new PreparedStatement<{ id: string }>(
  'release-webhooks',
  `UPDATE webhooks
  SET lease_id = NULL, leased_until = now()
  FROM (
    SELECT account_id, id FROM webhooks WHERE lease_id = $1 AND id = ANY ($2) ORDER BY account_id, id FOR NO KEY UPDATE
  ) AS held
  WHERE webhooks.account_id = held.account_id AND webhooks.id = held.id`,
);

/** Leases of webhooks. The holder of a lease delivers to the webhook. */
@Injectable()
export class WebhookLeasesRepository {
  readonly leaseId = randomUUID();

  private readonly rounds: AccountRounds;

  constructor(private readonly dataSource: DataSource) {
    this.rounds = new AccountRounds(dataSource, ACCOUNTS_PER_PASS, 'webhooks');
  }

  /** Claims webhooks that have something to send and that no instance holds. */
  async claim(exceptIds: string[], limit: number): Promise<ClaimedWebhook[]> {
    const range = await this.rounds.next();
    const parameters = [this.leaseId, exceptIds, limit];
    const claimed = isWholeRound(range)
      ? await CLAIM.run(this.dataSource, parameters)
      : await CLAIM_SOME.run(this.dataSource, [...parameters, range.after, range.last]);
    return claimed.length > 0 ? READ.run(this.dataSource, [this.leaseId, claimed.map(({ id }) => id)]) : [];
  }

  async release(ids: string[]): Promise<void> {
    await RELEASE.run(this.dataSource, [this.leaseId, ids]);
  }
}
