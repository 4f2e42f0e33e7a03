import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Actor } from '../ledger/actor.js';
import type { Cause } from '../ledger/cause.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { newSuppression } from './suppression-id.js';

/** A record as it stands in a place, or is to stand there. */
export interface PlacedRecord {
  id: string;
  /** Null for the moment that stands there. */
  createdAt: Date | null;
  cause: Cause;
  emailId: string | null;
}

/** What a place has to hold from now on. */
export interface NewContent {
  /** The id that stood in it when it was taken. */
  place: string;
  record: PlacedRecord | null;
}

/** A line for the ledger. */
export interface NewChange {
  action: Action;
  suppressionId: string;
  email: EmailAddress;
  cause: Cause;
  emailId: string | null;
  note: string | null;
}

const FIND_AS_STRONG = new PreparedStatement<{ id: string; email: EmailAddress }>(
  'find-places-as-strong',
  `SELECT record.id, record.email
  FROM unnest($2::text[] COLLATE "C", $3::suppression_cause[]) AS asked (email, cause)
  JOIN suppressions AS record ON record.account_id = $1 AND record.email = asked.email
  WHERE record.cause >= asked.cause`,
);

/** A conflict locks the record that is there, although nothing is updated. */
const HOLD = new PreparedStatement<{ id: string }>(
  'hold-places',
  `INSERT INTO suppressions (account_id, id, email, cause, created_at)
  SELECT $1, asked.id, asked.email, asked.cause, asked.created_at
  FROM unnest($2::uuid[], $3::text[] COLLATE "C", $4::timestamptz[], $5::suppression_cause[])
    AS asked (id, email, created_at, cause)
  ORDER BY asked.email
  ON CONFLICT (account_id, email) DO UPDATE
  SET cause = excluded.cause
  WHERE false
  RETURNING id`,
);

const FILL = new PreparedStatement<Record<string, never>>(
  'fill-places',
  `WITH emptied AS (
    DELETE FROM suppressions
    WHERE account_id = $1 AND id = ANY ($2)
  ),
  filled AS (
    UPDATE suppressions
    SET id = content.id,
      cause = content.cause,
      email_id = content.email_id,
      created_at = coalesce(content.created_at, suppressions.created_at)
    FROM unnest($3::uuid[], $4::uuid[], $5::suppression_cause[], $6::uuid[], $7::timestamptz[])
      AS content (place, id, cause, email_id, created_at)
    WHERE suppressions.account_id = $1 AND suppressions.id = content.place
  )
  INSERT INTO suppression_changes
    (account_id, action, suppression_id, email, cause, email_id, note, actor_type, actor_id, actor_name)
  SELECT $1, action, suppression_id, email, cause, email_id, note, $14, $15, $16
  FROM unnest(
    $8::suppression_action[], $9::uuid[], $10::text[], $11::suppression_cause[], $12::uuid[], $13::text[]
  ) WITH ORDINALITY AS change (action, suppression_id, email, cause, email_id, note, number)
  ORDER BY number`,
);

/**
 * The places of addresses on the list, for a transaction that first looks and then decides: it holds each of them, whether
 * there is a record or not, so that nobody else changes what it saw.
 */
@Injectable()
export class PlacesRepository {
  /**
   * The records of addresses that are there already for as strong a cause as asked. They are not held.
   *
   * @returns their ids, by address
   */
  async findAsStrong(
    accountId: number,
    asked: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, string>> {
    const found = await FIND_AS_STRONG.run(transaction, [accountId, [...asked.keys()], [...asked.values()]]);
    return new Map(found.map(({ id, email }) => [email, id]));
  }

  /**
   * Locks the records of addresses, and puts a placeholder in each place that is empty. Nobody else sees it; the transaction
   * has to {@link fill} the place, with a record or with nothing. In the order of the addresses: no circles.
   *
   * @param asked - the addresses, each with the cause that its record is likely to get, so that it is written once
   * @returns the ids of the placeholders
   */
  async hold(
    accountId: number,
    asked: Map<EmailAddress, Cause>,
    transaction: EntityManager,
  ): Promise<Set<string>> {
    const records = [...asked.keys()].map((email) => newSuppression(email));
    const held = await HOLD.run(transaction, [
      accountId,
      records.map(({ id }) => id),
      records.map(({ email }) => email),
      records.map(({ createdAt }) => createdAt),
      [...asked.values()],
    ]);
    return new Set(held.map(({ id }) => id));
  }

  /** Writes what places that are held have to hold, and the changes that led to it, in their order. */
  async fill(
    accountId: number,
    actor: Actor,
    contents: NewContent[],
    changes: NewChange[],
    transaction: EntityManager,
  ): Promise<void> {
    const filled = contents.flatMap(({ place, record }) => (record ? { place, ...record } : []));
    await FILL.run(transaction, [
      accountId,
      contents.filter(({ record }) => !record).map(({ place }) => place),
      filled.map(({ place }) => place),
      filled.map(({ id }) => id),
      filled.map(({ cause }) => cause),
      filled.map(({ emailId }) => emailId),
      filled.map(({ createdAt }) => createdAt),
      changes.map(({ action }) => action),
      changes.map(({ suppressionId }) => suppressionId),
      changes.map(({ email }) => email),
      changes.map(({ cause }) => cause),
      changes.map(({ emailId }) => emailId),
      changes.map(({ note }) => note),
      actor.type,
      actor.id,
      actor.name,
    ]);
  }
}
