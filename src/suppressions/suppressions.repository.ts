import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { packRows, packValues, unpackRows, unpackValues, type PackedRows } from '../database/packed.js';
import { PreparedStatement, type Within } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { MAX_LIMIT, toPage, type Page } from '../http/page.js';
import type { Actor } from './actor.js';
import { ORIGINS, type Origin } from './cause.js';
import { GatheredReads, type Gathering } from './gathered-reads.js';
import { lowestIdAt, newSuppression } from './suppression-id.js';
import { PACKED_SUPPRESSIONS, unpackSuppressions, type FoundSuppression } from './suppression-lookup.js';
import type { Suppression } from './suppression.entity.js';

/** Who changes something, and what they say about it. */
export interface Occasion {
  actor: Actor;
  note: string | null;
}

/** What names a record. */
export type NamedSuppression = Pick<Suppression, 'id' | 'email'>;

/** What was added, or took a stronger cause. */
export interface ChangedSuppression {
  id: string;
  email: EmailAddress;
  action: 'added' | 'strengthened';
}

export interface ListFilter {
  limit: number;
  after?: string;
  before?: string;
  origin?: Origin;
  createdFrom?: number;
  createdBefore?: number;
  domain?: string;
}

/** SQL of a row and an operator, and the value behind it. */
interface Narrowing {
  condition: string;
  type: string;
  value: string | undefined;
}

/** What is the same of pages that are read together. */
interface Listing {
  narrowings: Narrowing[];
  order: 'ASC' | 'DESC';
  ranges: 'one' | 'by origin';
}

/** Few, so that PostgreSQL reads pages while we write those before. */
const GATHERING: Gathering = { atOnce: 3, onTheWay: 2 };

/** As `originOf` has it; the indexes for listing have the same words. */
const ORIGIN = `CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END`;

const NAME_COLUMNS = ['id', 'email'];

const FIND_AS_STRONG = new PreparedStatement<PackedRows>(
  'find-suppressions-as-strong',
  `SELECT ${packRows(NAME_COLUMNS)}
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${unpackValues('$2')}) AND cause >= 'manual'`,
);

const ADD_OR_STRENGTHEN = new PreparedStatement<ChangedSuppression>(
  'add-or-strengthen-suppressions',
  `WITH changed AS (
    INSERT INTO suppressions (account_id, id, email, cause, created_at)
    SELECT $1, id, email, 'manual', created_at
    FROM unnest($2::uuid[], $3::text[] COLLATE "C", $4::timestamptz[]) AS asked (id, email, created_at)
    ORDER BY email
    ON CONFLICT (account_id, email) DO UPDATE
    SET cause = excluded.cause, source_id = excluded.source_id
    WHERE suppressions.cause < excluded.cause
    RETURNING id, email, CASE WHEN id = ANY ($2) THEN 'added' ELSE 'strengthened' END AS action
  ),
  logged AS (
    INSERT INTO suppression_changes
      (account_id, action, suppression_id, email, cause, actor_type, actor_id, actor_name, note)
    SELECT $1, action::suppression_action, id, email, 'manual', $5, $6, $7, $8
    FROM changed
  )
  SELECT id, email, action FROM changed`,
);

const REMOVE_BY_EMAILS = createRemoval('remove-suppressions-by-emails', 'email = ANY ($2)');
const REMOVE_BY_IDS = createRemoval('remove-suppressions-by-ids', 'id = ANY ($2)');

@Injectable()
export class SuppressionsRepository {
  private readonly pages = new Map<string, GatheredReads<unknown[], FoundSuppression[]>>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first; the order of the ids is the order of creation, so every page is a range of an index. */
  async list(accountId: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    const { limit, after, before, origin, createdFrom, createdBefore, domain } = filter;
    const idAt = (moment?: number) => (moment === undefined ? undefined : lowestIdAt(moment));
    const all: Narrowing[] = [
      { condition: 'id <', type: 'uuid', value: after },
      { condition: 'id >', type: 'uuid', value: before },
      { condition: `${ORIGIN} =`, type: 'suppression_cause', value: origin },
      { condition: `split_part(email, '@', -1) =`, type: 'text', value: domain },
      { condition: 'id >=', type: 'uuid', value: idAt(createdFrom) },
      { condition: 'id <', type: 'uuid', value: idAt(createdBefore) },
    ];
    const narrowings = all.filter(({ value }) => value !== undefined);
    const listing: Listing = {
      narrowings,
      order: before ? 'ASC' : 'DESC',
      ranges: domain !== undefined && origin === undefined ? 'by origin' : 'one',
    };
    const values = narrowings.map(({ value }) => value);
    const found = await this.pagesOf(accountId, listing).read([limit + 1, ...values]);
    const { elements, hasMore } = toPage(found, limit);
    return { elements: before ? elements.toReversed() : elements, hasMore };
  }

  /** The records that adding by hand would leave as they are. */
  async findAsStrong(accountId: number, emails: EmailAddress[]): Promise<NamedSuppression[]> {
    const answer = await FIND_AS_STRONG.run(this.dataSource, [accountId, packValues(emails)]);
    return unpackRows(answer, NAME_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
    }));
  }

  /**
   * Adds by hand what is not there yet; a record with a weaker cause becomes a manual one and keeps its id. All else is
   * left as it is, and not in the answer. The locks are taken in the order of the addresses.
   *
   * @param emails - each once
   */
  addOrStrengthen(
    accountId: number,
    { actor, note }: Occasion,
    emails: EmailAddress[],
    within: Within,
  ): Promise<ChangedSuppression[]> {
    const records = emails.map((email) => newSuppression(email));
    return ADD_OR_STRENGTHEN.write(this.dataSource, within, [
      accountId,
      records.map(({ id }) => id),
      emails,
      records.map(({ createdAt }) => createdAt),
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }

  /** Removes what is there, with a line in the ledger for each. The locks are taken in the order of the addresses. */
  removeByEmails(
    accountId: number,
    { actor, note }: Occasion,
    emails: EmailAddress[],
    within: Within,
  ): Promise<NamedSuppression[]> {
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
  ): Promise<NamedSuppression[]> {
    return REMOVE_BY_IDS.write(this.dataSource, within, [
      accountId,
      ids,
      actor.type,
      actor.id,
      actor.name,
      note,
    ]);
  }

  /** The pages of an account that wait to be gathered. */
  private pagesOf(accountId: number, listing: Listing): GatheredReads<unknown[], FoundSuppression[]> {
    const conditions = listing.narrowings.map(({ condition }) => condition);
    const key = [accountId, listing.order, ...conditions].join(' ');
    let pages = this.pages.get(key);
    if (!pages) {
      const statement = statementOf(listing);
      pages = new GatheredReads(GATHERING, async (asked) => {
        const columns = asked[0]!.map((_, column) => asked.map((values) => values[column]));
        const answers = await statement.run(this.dataSource, [accountId, ...columns]);
        return answers.map((answer) => unpackSuppressions([answer]));
      });
      this.pages.set(key, pages);
    }
    return pages;
  }
}

/** Every combination of filters is a statement of its own, planned once: TypeORM's query builder took half of a page's time. */
const listingStatements = new Map<string, PreparedStatement<PackedRows>>();

/**
 * Reads pages, each of its own limit and values. The index by domain goes on by origin: where no origin is asked for, a page
 * is the merge of a range for each. A range has the longest limit as a number: one that is not known makes PostgreSQL plan
 * each page again, for a third of its time.
 */
function statementOf({ narrowings, order, ranges }: Listing): PreparedStatement<PackedRows> {
  const longest = `ORDER BY id ${order} LIMIT ${MAX_LIMIT + 1}`;
  const conditions = narrowings.map(({ condition }, index) => `${condition} asked.value_${index}`);
  const range = (more: string[]) => `
    SELECT id, email, cause, created_at, source_id
    FROM suppressions
    WHERE ${['account_id = $1', ...conditions, ...more].join(' AND ')}
    ${longest}`;
  const rows =
    ranges === 'one'
      ? range([])
      : `SELECT listed.*
         FROM unnest('{${ORIGINS.join(',')}}'::suppression_cause[]) AS listed_origin
         CROSS JOIN LATERAL (${range([`${ORIGIN} = listed_origin`])}) AS listed
         ${longest}`;
  const values = narrowings.map(({ type }, index) => `$${index + 3}::${type}[]`);
  const names = narrowings.map((_, index) => `value_${index}`);
  const text = `
    SELECT page.packed
    FROM unnest(${['$2::int[]', ...values].join(', ')})
      WITH ORDINALITY AS asked (${['page_limit', ...names, 'place'].join(', ')})
    CROSS JOIN LATERAL (
      SELECT ${PACKED_SUPPRESSIONS} FROM (SELECT * FROM (${rows}) AS longest LIMIT asked.page_limit) AS shown
    ) AS page
    ORDER BY asked.place`;
  let statement = listingStatements.get(text);
  if (!statement) {
    statement = new PreparedStatement(`list-suppressions-${listingStatements.size}`, text);
    listingStatements.set(text, statement);
  }
  return statement;
}

function createRemoval(name: string, condition: string): PreparedStatement<NamedSuppression> {
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
