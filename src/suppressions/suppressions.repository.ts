import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement, type Within } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { toPage, type Page } from '../http/page.js';
import type { Actor } from './actor.js';
import { ORIGINS, type Cause, type Origin } from './cause.js';
import { lowestIdAt, newSuppression } from './suppression-id.js';
import { SUPPRESSION_COLUMNS, type FoundSuppression } from './suppression-lookup.js';
import type { Suppression } from './suppression.entity.js';

/** Who changes something, and what they say about it. */
export interface Occasion {
  actor: Actor;
  note: string | null;
}

/** An address to suppress, and why. */
export interface Addition {
  email: EmailAddress;
  cause: Cause;
  /** The mail that triggered it. */
  sourceId: string | null;
  note: string | null;
}

export interface AddedOrFound {
  id: string;
  email: EmailAddress;
  /** Null when nothing was to do. */
  action: 'added' | 'strengthened' | null;
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

/** As `originOf` has it; the indexes for listing have the same words. */
const ORIGIN = `CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END`;

const ADD_OR_FIND = new PreparedStatement<AddedOrFound>(
  'add-or-find-suppressions',
  `WITH asked AS (
    SELECT *
    FROM unnest(
      $2::uuid[], $3::text[] COLLATE "C", $4::timestamptz[], $5::suppression_cause[], $6::uuid[], $7::text[]
    ) AS asked (id, email, created_at, cause, source_id, note)
  ),
  present AS (
    SELECT id, email, cause
    FROM suppressions
    WHERE account_id = $1 AND email = ANY ($3)
  ),
  changed AS (
    INSERT INTO suppressions (account_id, id, email, cause, source_id, created_at)
    SELECT $1, asked.id, asked.email, asked.cause, asked.source_id, asked.created_at
    FROM asked
    LEFT JOIN present USING (email)
    WHERE present.id IS NULL OR present.cause < asked.cause
    ORDER BY asked.email
    ON CONFLICT (account_id, email) DO UPDATE
    SET cause = excluded.cause, source_id = excluded.source_id
    WHERE suppressions.cause < excluded.cause
    RETURNING id, email, cause, source_id
  ),
  named AS (
    SELECT changed.*, asked.note, CASE changed.id WHEN asked.id THEN 'added' ELSE 'strengthened' END AS action
    FROM changed
    JOIN asked USING (email)
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, source_id, actor_type, actor_id, actor_name, note)
    SELECT $1, action::suppression_action, id, email, cause, source_id, $8, $9, $10, note
    FROM named
  )
  SELECT id, email, action FROM named
  UNION ALL
  SELECT id, email, NULL FROM present WHERE email NOT IN (SELECT email FROM changed)`,
);

const REMOVE_BY_EMAILS = createRemoval('remove-suppressions-by-emails', 'email = ANY ($2)');
const REMOVE_BY_IDS = createRemoval('remove-suppressions-by-ids', 'id = ANY ($2)');

@Injectable()
export class SuppressionsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first; the order of the ids is the order of creation, so every page is a range of an index. */
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
    narrow(`${ORIGIN} =`, origin);
    narrow(`split_part(email, '@', -1) =`, domain);
    narrow('id >=', createdFrom === undefined ? undefined : lowestIdAt(createdFrom));
    narrow('id <', createdBefore === undefined ? undefined : lowestIdAt(createdBefore));
    const ranges = domain !== undefined && origin === undefined ? 'by origin' : 'one';
    const rows = await listing(conditions, before ? 'ASC' : 'DESC', ranges).run(this.dataSource, values);
    const { elements, hasMore } = toPage(rows, limit);
    return { elements: before ? elements.toReversed() : elements, hasMore };
  }

  /**
   * Adds what is not there yet; a record with a weaker cause takes the stronger one and keeps its id. All else is left
   * as it is. The locks are taken in the order of the addresses. What another transaction adds in the same moment may be
   * missing from the answer.
   *
   * @param additions - one for each address
   */
  addOrFind(accountId: number, actor: Actor, additions: Addition[], within: Within): Promise<AddedOrFound[]> {
    const records = additions.map(({ email }) => newSuppression(email));
    return ADD_OR_FIND.write(this.dataSource, within, [
      accountId,
      records.map(({ id }) => id),
      records.map(({ email }) => email),
      records.map(({ createdAt }) => createdAt),
      additions.map(({ cause }) => cause),
      additions.map(({ sourceId }) => sourceId),
      additions.map(({ note }) => note),
      actor.type,
      actor.id,
      actor.name,
    ]);
  }

  /** Removes what is there, with a line in the ledger for each. The locks are taken in the order of the addresses. */
  removeByEmails(
    accountId: number,
    { actor, note }: Occasion,
    emails: EmailAddress[],
    within: Within,
  ): Promise<Removed[]> {
    return REMOVE_BY_EMAILS.write(this.dataSource, within, [
      accountId,
      emails,
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }

  /** Like {@link removeByEmails}, by the ids. */
  removeByIds(
    accountId: number,
    { actor, note }: Occasion,
    ids: string[],
    within: Within,
  ): Promise<Removed[]> {
    return REMOVE_BY_IDS.write(this.dataSource, within, [
      accountId,
      ids,
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }
}

/** Every combination of filters is a statement of its own, planned once: TypeORM's query builder took half of a page's time. */
const listings = new Map<string, PreparedStatement<FoundSuppression>>();

/** The index by domain goes on by origin: where no origin is asked for, a page is the merge of a range for each. */
function listing(
  conditions: string[],
  order: 'ASC' | 'DESC',
  ranges: 'one' | 'by origin',
): PreparedStatement<FoundSuppression> {
  const range = (more: string[]) => `
    SELECT ${SUPPRESSION_COLUMNS}
    FROM suppressions
    WHERE ${[...conditions, ...more].join(' AND ')}
    ORDER BY id ${order}
    LIMIT $2`;
  const text =
    ranges === 'one'
      ? range([])
      : `SELECT listed.*
         FROM unnest('{${ORIGINS.join(',')}}'::suppression_cause[]) AS listed_origin
         CROSS JOIN LATERAL (${range([`${ORIGIN} = listed_origin`])}) AS listed
         ORDER BY id ${order}
         LIMIT $2`;
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
