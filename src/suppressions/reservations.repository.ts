import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { afterCommit } from '../database/after-commit.js';
import { hideLength } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import { maskOf, type Cause } from '../ledger/cause.js';
import { changeParameters, insertChanges } from '../ledger/insert-changes.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { Metrics } from '../metrics/metrics.js';
import { createdAtOf, newSuppression } from './suppression-id.js';

/** The record that a reserved address has, or gets. */
export interface ReservedRecord {
  id: string;
  /** The strongest cause. */
  cause: Cause;
  weakerCauses: readonly Cause[];
  emailId: string | null;
  /** When a bounce and a manual entry end; null if never. */
  expiresAt: Date | null;
}

/** The record that a reserved address has in the end; null if it has none. */
export interface FinalRecord {
  email: EmailAddress;
  /** The id of the record, or of the placeholder, that was reserved. */
  reservation: string;
  record: ReservedRecord | null;
}

/** A line for the ledger. */
export interface NewChange {
  action: Action;
  suppressionId: string;
  email: EmailAddress;
  cause: Cause;
  emailId: string | null;
  /** When it happened, if the source says so. */
  occurredAt: Date | null;
  /** The delivery event that caused the change. */
  eventId: string | null;
  note: string | null;
  /** When the cause that was added ends; null if never. */
  expiresAt: Date | null;
}

/** A conflict locks the existing record, although nothing is updated. */
const RESERVE = new PreparedStatement<{ id: string; email: EmailAddress }>(
  'reserve-addresses',
  `INSERT INTO suppressions (account_id, id, email, cause, created_at)
  SELECT $1, asked.id, asked.email, asked.cause, asked.created_at
  FROM unnest($2::uuid[], $3::text[] COLLATE "C", $4::timestamptz[], $5::suppression_cause[])
    AS asked (id, email, created_at, cause)
  ORDER BY asked.email
  ON CONFLICT (account_id, email) DO UPDATE
  SET cause = excluded.cause
  WHERE false
  RETURNING id, email`,
);

/** A record is found by the conflict that it causes, since an UPDATE that joins may have a plan that reads the whole list. */
const SETTLE = new PreparedStatement<Record<string, never>>(
  'settle-reservations',
  `WITH emptied AS (
    DELETE FROM suppressions
    WHERE account_id = $1
      AND created_at = ANY (${hideLength('$20', 'timestamptz')})
      AND id = ANY (${hideLength('$6', 'uuid')})
  ),
  filled AS (
    INSERT INTO suppressions (account_id, email, id, cause, email_id, created_at, weaker_causes, expires_at)
    SELECT $1, final.*
    FROM unnest(
      $7::text[], $8::uuid[], $9::suppression_cause[], $10::uuid[], $11::timestamptz[], $21::smallint[],
      $22::timestamptz[]
    ) AS final
    ON CONFLICT (account_id, email) DO UPDATE
    SET id = excluded.id,
      cause = excluded.cause,
      weaker_causes = excluded.weaker_causes,
      email_id = excluded.email_id,
      created_at = excluded.created_at,
      import_id = NULL,
      expires_at = excluded.expires_at
  ),
  change AS (
    SELECT *
    FROM unnest(
      $12::suppression_action[], $13::uuid[], $14::text[], $15::suppression_cause[], $16::uuid[], $17::timestamptz[],
      $18::uuid[], $19::text[], $23::timestamptz[]
    ) WITH ORDINALITY AS change (
      action, suppression_id, email, cause, email_id, occurred_at, event_id, note, expires_at, number
    )
    ORDER BY number
  ),
  ${insertChanges('change', { expiresAt: 'expires_at' })}
  SELECT FROM logged WHERE false`,
);

/**
 * Reserves addresses for a transaction that reads before it decides. Until it ends, nobody else changes their records, nor
 * adds a record where there is none.
 */
@Injectable()
export class ReservationsRepository {
  constructor(private readonly metrics: Metrics) {}

  /**
   * Locks the records of addresses, and inserts a placeholder for each address that has none. The transaction must
   * {@link settle} every placeholder. Locks are taken in the order of the addresses, so that no two statements deadlock.
   *
   * @param addresses - with the cause that each record will probably get, so that it is written once
   * @returns the addresses that have a placeholder, by its id
   */
  async reserve(
    accountId: number,
    addresses: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<Map<string, EmailAddress>> {
    const records = [...addresses.keys()].map((email) => newSuppression(email));
    const placeholders = await RESERVE.run(transaction, [
      accountId,
      records.map(({ id }) => id),
      records.map(({ email }) => email),
      records.map(({ createdAt }) => createdAt),
      [...addresses.values()],
    ]);
    return new Map(placeholders.map(({ id, email }) => [id, email]));
  }

  /**
   * Writes the final records of reserved addresses, and the changes that led to them.
   *
   * @param changes - those of one address in the order in which they happened
   */
  async settle(
    accountId: number,
    actor: Actor,
    records: FinalRecord[],
    changes: NewChange[],
    transaction: EntityManager,
  ): Promise<void> {
    const emptied = records.filter(({ record }) => !record).map(({ reservation }) => reservation);
    const filled = records.flatMap(({ email, record }) => (record ? { email, ...record } : []));
    await SETTLE.run(transaction, [
      ...changeParameters(accountId, actor),
      emptied,
      filled.map(({ email }) => email),
      filled.map(({ id }) => id),
      filled.map(({ cause }) => cause),
      filled.map(({ emailId }) => emailId),
      filled.map(({ id }) => createdAtOf(id)),
      changes.map(({ action }) => action),
      changes.map(({ suppressionId }) => suppressionId),
      changes.map(({ email }) => email),
      changes.map(({ cause }) => cause),
      changes.map(({ emailId }) => emailId),
      changes.map(({ occurredAt }) => occurredAt),
      changes.map(({ eventId }) => eventId),
      changes.map(({ note }) => note),
      emptied.map(createdAtOf),
      filled.map(({ weakerCauses }) => maskOf(weakerCauses)),
      filled.map(({ expiresAt }) => expiresAt),
      changes.map(({ expiresAt }) => expiresAt),
    ]);
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
  }
}
