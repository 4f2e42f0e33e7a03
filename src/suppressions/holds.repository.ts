import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import { afterCommit } from '../database/transaction.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/rows.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { maskOf } from '../ledger/cause.js';
import { changeParameters, insertChanges, lastAddition } from '../ledger/ledger-sql.js';
import { Metrics, type CountedChange } from '../metrics/metrics.js';
import { createdAtOf } from './suppression-id.js';
import { RECORD_CAUSES } from './suppression.entity.js';

/** A bounce to hold, identified by the event that reported it. */
export interface BounceToHold {
  email: EmailAddress;
  suppressionId: string;
  /** The id of the event. */
  id: string;
  emailId: string | null;
}

export interface Hold {
  incidentId: string;
  until: Date;
  note: string;
}

const BOUNCES = new RowSet(9, { email: 'text', suppressionId: 'uuid', id: 'uuid', emailId: 'uuid' });

const HOLD = new PreparedStatement<CountedChange>(
  'hold-bounces',
  `WITH locked AS (
    SELECT id, email, expires_at
    FROM suppressions
    WHERE account_id = $1
      AND email = ANY ($9::text[])
      AND (${RECORD_CAUSES}) & ${maskOf(['bounce', 'manual'])} = ${maskOf(['bounce'])}
      AND (expires_at IS NULL OR expires_at > $7)
    ORDER BY email
    FOR UPDATE
  ),
  bounce AS (
    SELECT locked.*, requested.email_id, requested.id AS event_id
    FROM locked
    JOIN ${BOUNCES.as('requested')} ON requested.email = locked.email AND requested.suppression_id = locked.id
    WHERE NOT EXISTS (SELECT FROM held_bounces AS held WHERE held.account_id = $1 AND held.suppression_id = locked.id AND held.held_until = locked.expires_at)
  ),
  updated AS (
    UPDATE suppressions
    SET expires_at = $7
    FROM bounce
    WHERE suppressions.account_id = $1 AND suppressions.email = bounce.email
  ),
  held AS (
    INSERT INTO held_bounces (account_id, suppression_id, incident_id, held_until, expires_at)
    SELECT $1, id, $8, $7, expires_at FROM bounce
    ON CONFLICT (account_id, suppression_id) DO UPDATE
    SET incident_id = excluded.incident_id, held_until = excluded.held_until, expires_at = excluded.expires_at
  ),
  change AS (
    SELECT
      'cause_added'::suppression_action AS action,
      id AS suppression_id,
      email,
      'bounce'::suppression_cause AS cause,
      email_id,
      NULL::timestamptz AS occurred_at,
      event_id,
      $6::text AS note
    FROM bounce
  ),
  ${insertChanges({ expiresAt: '$7' })}
  SELECT action, cause FROM logged`,
);

/** SQL for the email id of the bounce of a locked record. The record itself has only the email id of its strongest cause. */
const BOUNCE_EMAIL_ID = `
  CASE WHEN cause = 'bounce' THEN email_id ELSE (${lastAddition('added.email_id', `'bounce'`)}) END`;

/** SQL that locks the records that are still held. */
const lockHeld = (columns: string, ids: string, createdAt: string) => `
  SELECT ${columns}
  FROM suppressions AS record
  JOIN held_bounces AS held ON held.suppression_id = record.id AND held.held_until = record.expires_at
  WHERE record.account_id = $1
    AND held.account_id = $1
    AND record.created_at = ANY (${createdAt})
    AND record.id = ANY (${ids})
    AND held.suppression_id = ANY (${ids})
    AND record.expires_at > now()
  ORDER BY record.email
  FOR UPDATE OF record`;

const KEEP = new PreparedStatement<CountedChange>(
  'keep-held-bounces',
  `WITH locked AS (
    ${lockHeld('record.id, record.email, record.cause, record.email_id, held.expires_at', '$7', '$8')}
  ),
  updated AS (
    UPDATE suppressions
    SET expires_at = locked.expires_at
    FROM locked
    WHERE suppressions.account_id = $1 AND suppressions.email = locked.email
  ),
  forgotten AS (
    DELETE FROM held_bounces WHERE account_id = $1 AND suppression_id = ANY ($7)
  ),
  change AS (
    SELECT
      'cause_added'::suppression_action AS action,
      id AS suppression_id,
      email,
      'bounce'::suppression_cause AS cause,
      ${BOUNCE_EMAIL_ID} AS email_id,
      NULL::timestamptz AS occurred_at,
      NULL::uuid AS event_id,
      $6::text AS note,
      locked.expires_at
    FROM locked
  ),
  ${insertChanges({ expiresAt: 'expires_at' })}
  SELECT action, cause FROM logged`,
);

const FIND_HELD = new PreparedStatement<{ suppressionId: string }>(
  'find-held-bounces',
  `SELECT suppression_id AS "suppressionId"
  FROM held_bounces
  WHERE account_id = $1 AND incident_id = $2 AND held_until <= $3
  LIMIT 1000`,
);

const LOCK_HELD = new PreparedStatement<{ id: string }>(
  'lock-held-bounces',
  lockHeld('record.id', '$2', '$3'),
);

/**
 * Bounces that an incident holds: their records expire after a day. The record of an address that was also added by hand is not
 * held, because a bounce and a manual entry expire together.
 */
@Injectable()
export class HoldsRepository {
  constructor(private readonly metrics: Metrics) {}

  /** @returns the number of bounces that were not held before */
  async hold(
    { accountId, actor }: Identity,
    bounces: BounceToHold[],
    { incidentId, until, note }: Hold,
    transaction: EntityManager,
  ): Promise<number> {
    if (bounces.length === 0) {
      return 0;
    }
    const changes = await HOLD.run(transaction, [
      ...changeParameters(accountId, actor),
      note,
      until.toISOString(),
      incidentId,
      ...BOUNCES.values(bounces),
    ]);
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
    return changes.length;
  }

  /** Restores the earlier expiry of held bounces. Bounces that were changed since they were held are left unchanged. */
  async keep(
    { accountId, actor }: Identity,
    ids: string[],
    note: string,
    transaction: EntityManager,
  ): Promise<void> {
    if (ids.length === 0) {
      return;
    }
    const changes = await KEEP.run(transaction, [
      ...changeParameters(accountId, actor),
      note,
      ids,
      ids.map(createdAtOf),
    ]);
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
  }

  /** The ids of up to 1,000 suppressions that an incident holds until no later than a given time. */
  async find(
    accountId: number,
    incidentId: string,
    until: Date,
    transaction: EntityManager,
  ): Promise<string[]> {
    const rows = await FIND_HELD.run(transaction, [accountId, incidentId, until]);
    return rows.map(({ suppressionId }) => suppressionId);
  }

  /** Locks the suppressions that are still held, and deletes the holds of all. */
  async take(accountId: number, ids: string[], transaction: EntityManager): Promise<string[]> {
    const held = await LOCK_HELD.run(transaction, [accountId, ids, ids.map(createdAtOf)]);
    await transaction.query('DELETE FROM held_bounces WHERE account_id = $1 AND suppression_id = ANY ($2)', [
      accountId,
      ids,
    ]);
    return held.map(({ id }) => id);
  }

  /** Deletes up to 10,000 holds that are over. All holds of a very large incident could take longer than a statement may. */
  async forgetOver(accountId: number, transaction: EntityManager): Promise<void> {
    await transaction.query(
      `DELETE FROM held_bounces
      WHERE account_id = $1 AND suppression_id = ANY (ARRAY(
        SELECT suppression_id FROM held_bounces WHERE account_id = $1 AND held_until < now() LIMIT 10000
      ))`,
      [accountId],
    );
  }
}
