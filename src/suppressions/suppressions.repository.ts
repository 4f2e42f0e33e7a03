import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { toPage, type Page } from '../http/page.js';
import type { Actor } from './actor.js';
import type { Cause, Origin } from './cause.js';
import { lowestIdAt, type NewSuppression } from './suppression-id.js';
import { SUPPRESSION_COLUMNS, type FoundSuppression } from './suppression-lookup.js';
import type { Suppression } from './suppression.entity.js';

/** Who changes something, and what they say about it. */
export interface Occasion {
  actor: Actor;
  note: string | null;
}

/** Why an address is to be suppressed, and the mail that triggered it. */
export interface Reason {
  cause: Cause;
  sourceId: string | null;
}

export interface AddedOrFound {
  id: string;
  email: EmailAddress;
  added: boolean;
}

/** What was removed. */
export type Removed = Pick<Suppression, 'id' | 'email'>;

export interface ListFilter {
  limit: number;
  after?: string;
  before?: string;
  origin?: Origin;
  createdFrom?: number;
  createdBefore?: number;
  domain?: string;
}

const ADD_OR_FIND = new PreparedStatement<AddedOrFound>(
  'add-or-find-suppressions',
  `WITH asked AS (
    SELECT *
    FROM unnest($4::uuid[], $5::text[] COLLATE "C", $6::timestamptz[]) AS asked (id, email, created_at)
  ),
  present AS (
    SELECT id, email, cause
    FROM suppressions
    WHERE account_id = $1 AND email = ANY ($5)
  ),
  added AS (
    INSERT INTO suppressions (account_id, id, email, cause, source_id, created_at)
    SELECT $1, id, email, $2, $3, created_at
    FROM asked
    WHERE email NOT IN (SELECT email FROM present)
    ORDER BY email
    ON CONFLICT (account_id, email) DO NOTHING
    RETURNING id, email
  ),
  weaker AS (
    SELECT id
    FROM suppressions
    WHERE account_id = $1
      AND id IN (SELECT id FROM present WHERE cause < $2)
      AND cause < $2
      AND (SELECT count(*) FROM added) >= 0
    ORDER BY email
    FOR UPDATE
  ),
  strengthened AS (
    UPDATE suppressions
    SET cause = $2, source_id = $3
    FROM weaker
    WHERE suppressions.account_id = $1 AND suppressions.id = weaker.id
    RETURNING suppressions.id, suppressions.email
  ),
  changed AS (
    SELECT 'added' AS action, id, email FROM added
    UNION ALL
    SELECT 'strengthened', id, email FROM strengthened
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, source_id, actor_type, actor_id, actor_name, note)
    SELECT $1, action::suppression_action, id, email, $2, $3, $7, $8, $9, $10
    FROM changed
  )
  SELECT id, email, false AS added FROM present
  UNION ALL
  SELECT id, email, true FROM added`,
);

const REMOVE_BY_EMAILS = createRemoval('remove-suppressions-by-emails', 'email = ANY ($2)');
const REMOVE_BY_IDS = createRemoval('remove-suppressions-by-ids', 'id = ANY ($2)');

@Injectable()
export class SuppressionsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first; the order of the ids is the order of creation, so every page is one range of the primary key. */
  async list(accountId: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    const { limit, after, before, origin, createdFrom, createdBefore, domain } = filter;
    const values: unknown[] = [accountId, limit + 1];
    const conditions = ['account_id = $1'];
    const narrow = (condition: string, value: unknown) => {
      if (value !== undefined) {
        conditions.push(`${condition} $${values.push(value)}`);
      }
    };
    narrow('id <', after);
    narrow('id >', before);
    narrow(`CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END =`, origin);
    narrow(`split_part(email, '@', -1) =`, domain);
    narrow('id >=', createdFrom === undefined ? undefined : lowestIdAt(createdFrom));
    narrow('id <', createdBefore === undefined ? undefined : lowestIdAt(createdBefore));
    const rows = await listing(conditions, before ? 'ASC' : 'DESC').run(this.dataSource, values);
    const { elements, hasMore } = toPage(rows, limit);
    return { elements: before ? elements.toReversed() : elements, hasMore };
  }

  /**
   * Adds what is not there yet; a record with a weaker cause takes the stronger one and keeps its id. All else is left
   * alone, its row not rewritten. The ledger is written by the same statement.
   *
   * First come the inserts, then the locks of weaker records, each in the order of the addresses: so two statements
   * never wait for each other in a circle. An address that another transaction adds meanwhile is in no part of the
   * answer.
   */
  addOrFind(
    accountId: number,
    { cause, sourceId }: Reason,
    { actor, note }: Occasion,
    records: NewSuppression[],
  ): Promise<AddedOrFound[]> {
    return ADD_OR_FIND.run(this.dataSource, [
      accountId,
      cause,
      sourceId,
      records.map(({ id }) => id),
      records.map(({ email }) => email),
      records.map(({ createdAt }) => createdAt),
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }

  /** Removes what is there, with a line in the ledger for each. The locks are taken in the order of the addresses. */
  removeByEmails(accountId: number, { actor, note }: Occasion, emails: EmailAddress[]): Promise<Removed[]> {
    return REMOVE_BY_EMAILS.run(this.dataSource, [accountId, emails, actor.type, actor.id, actor.name, note]);
  }

  /** Like {@link removeByEmails}, by the ids. */
  removeByIds(accountId: number, { actor, note }: Occasion, ids: string[]): Promise<Removed[]> {
    return REMOVE_BY_IDS.run(this.dataSource, [accountId, ids, actor.type, actor.id, actor.name, note]);
  }
}

/** Every combination of filters is a statement of its own, planned once: TypeORM's query builder took half of a page's time. */
const listings = new Map<string, PreparedStatement<FoundSuppression>>();

function listing(conditions: string[], order: 'ASC' | 'DESC'): PreparedStatement<FoundSuppression> {
  const text = `SELECT ${SUPPRESSION_COLUMNS} FROM suppressions WHERE ${conditions.join(' AND ')} ORDER BY id ${order} LIMIT $2`;
  let statement = listings.get(text);
  if (!statement) {
    statement = new PreparedStatement(`list-suppressions-${listings.size}`, text);
    listings.set(text, statement);
  }
  return statement;
}

function createRemoval(name: string, condition: string): PreparedStatement<Removed> {
  return new PreparedStatement(
    name,
    `WITH doomed AS (
    SELECT id
    FROM suppressions
    WHERE account_id = $1 AND ${condition}
    ORDER BY email
    FOR UPDATE
  ),
  removed AS (
    DELETE FROM suppressions
    USING doomed
    WHERE suppressions.account_id = $1 AND suppressions.id = doomed.id
    RETURNING suppressions.id, suppressions.email, suppressions.cause, suppressions.source_id
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, source_id, actor_type, actor_id, actor_name, note)
    SELECT $1, 'removed', id, email, cause, source_id, $3, $4, $5, $6
    FROM removed
  )
  SELECT id, email FROM removed`,
  );
}
