import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { DelimitedRows } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { MAX_LIMIT, toPage, type Page } from '../http/page.js';
import { ORIGINS, type Origin } from '../ledger/cause.js';
import { BatchedReads, type BatchOptions } from '../database/batched-reads.js';
import { lowestIdAt } from './suppression-id.js';
import { DELIMITED_SUPPRESSIONS, splitSuppressions, type FoundSuppression } from './suppression-lookup.js';

export interface ListFilter {
  /** The id behind which a page begins. */
  after?: string;
  /** The id before which a page ends. */
  before?: string;
  origin?: Origin;
  domain?: string;
  /** Milliseconds since 1970. */
  createdFrom?: number;
  /** Milliseconds since 1970. */
  createdBefore?: number;
}

/** As the indexes for listing have them; the origin as {@link originOf} has it. */
const DOMAIN = `split_part(email, '@', -1)`;
const ORIGIN = `CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END`;

/** Before and behind all ids. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Pages that one statement can read. */
interface Listing {
  accountId: number;
  byDomain: boolean;
  byOrigin: boolean;
  isBackwards: boolean;
}

/** The first so many records between two ids, in the direction of reading. */
interface AskedPage {
  limit: number;
  start: string;
  end: string;
  domain: string | undefined;
  origin: Origin | undefined;
}

/** Few, so that PostgreSQL reads pages while we write those before. */
const BATCHES: BatchOptions<Listing> = {
  keyOf: (listing) => `${listing.accountId} ${nameOf(listing)}`,
  maxBatch: 3,
  maxRunning: 2,
};

/** Reads the list. Pages of the same moment are gathered into one statement where they are of one {@link Listing}. */
@Injectable()
export class SuppressionPages {
  private readonly pages: BatchedReads<Listing, AskedPage, FoundSuppression[]>;

  constructor(@InjectDataSource() dataSource: DataSource) {
    this.pages = new BatchedReads(BATCHES, async (listing, asked) => {
      const answers = await statementOf(listing).run(dataSource, [
        listing.accountId,
        asked.map(({ limit }) => limit),
        asked.map(({ start }) => start),
        asked.map(({ end }) => end),
        asked.map(({ domain = null }) => domain),
        asked.map(({ origin = null }) => origin),
      ]);
      return answers.map((answer) => splitSuppressions([answer]));
    });
  }

  /**
   * Newest first; the order of the ids is the order of creation, so every page is a range of an index. No record has the
   * lowest id of a moment, which is no UUIDv7 (RFC 9562, section 4.2): whether an end counts makes no difference there.
   */
  async read(accountId: number, limit: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    const { after = HIGHEST_ID, before = LOWEST_ID, domain, origin, createdFrom, createdBefore } = filter;
    const lowest = createdFrom === undefined ? LOWEST_ID : lowestIdAt(createdFrom);
    const highest = createdBefore === undefined ? HIGHEST_ID : lowestIdAt(createdBefore);
    const low = before > lowest ? before : lowest;
    const high = after < highest ? after : highest;
    const isBackwards = filter.before !== undefined;
    const found = await this.pages.read(
      { accountId, byDomain: domain !== undefined, byOrigin: origin !== undefined, isBackwards },
      {
        limit: limit + 1,
        start: isBackwards ? low : high,
        end: isBackwards ? high : low,
        domain,
        origin,
      },
    );
    const { elements, hasMore } = toPage(found, limit);
    return { elements: isBackwards ? elements.toReversed() : elements, hasMore };
  }
}

function nameOf({ byDomain, byOrigin, isBackwards }: Listing): string {
  return ['list', byDomain && 'by-domain', byOrigin && 'by-origin', isBackwards && 'backwards']
    .filter(Boolean)
    .join('-');
}

/** TypeORM's query builder took half of a page's time. */
const statements = new Map<string, PreparedStatement<DelimitedRows>>();

function statementOf(listing: Listing): PreparedStatement<DelimitedRows> {
  const name = nameOf(listing);
  let statement = statements.get(name);
  if (!statement) {
    statement = new PreparedStatement(name, textOf(listing));
    statements.set(name, statement);
  }
  return statement;
}

/**
 * Reads pages, each of its own limit and values. PostgreSQL keeps the plan of a statement if it does not cost more, as far as
 * it can tell, than plans made of the values; else it plans each page anew, which takes a third of its time. So a range has
 * the longest limit as a number, since of a limit that is not known it expects a tenth of the account; and the arrays stand
 * behind sub-selects, where their lengths tell it nothing. Of accounts of very uneven sizes it may plan pages anew all the same.
 *
 * A plan that was made while an account was small has to do when it has grown. So rows are compared as wholes, and ordered,
 * as only the index that serves the filter has them; and what is behind the end of a page without a filter is left out
 * behind the limit: of two ends PostgreSQL expects so few rows that any index would do.
 */
function textOf({ byDomain, byOrigin, isBackwards }: Listing): string {
  const [isBehind, isBefore, order] = isBackwards ? ['>', '<', 'ASC'] : ['<', '>', 'DESC'];
  const keys: [column: string, value: string][] = [];
  if (byDomain) {
    keys.push([DOMAIN, 'asked.domain']);
  }
  // The index by domain goes on by origin: where no origin is asked for, a page is the merge of a range for each.
  const isMerged = byDomain && !byOrigin;
  if (byDomain || byOrigin) {
    keys.push([ORIGIN, isMerged ? 'listed.origin' : 'asked.origin']);
  }
  const columns = [...keys.map(([column]) => column), 'id'];
  const compare = (operator: string, id: string) =>
    `(${columns.join(', ')}) ${operator} (${[...keys.map(([, value]) => value), id].join(', ')})`;
  const range = `
    SELECT *
    FROM (
      SELECT id, email, cause, created_at, email_id
      FROM suppressions
      WHERE account_id = $1
        AND ${compare(isBehind, 'asked.page_start')}
        ${keys.length > 0 ? `AND ${compare(isBefore, 'asked.page_end')}` : ''}
      ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')}
      LIMIT ${MAX_LIMIT + 1}
    ) AS longest
    WHERE id ${isBefore} asked.page_end
    LIMIT asked.page_limit`;
  const page = isMerged
    ? `
    SELECT ranges.*
    FROM unnest('{${ORIGINS.join(',')}}'::suppression_cause[]) AS listed (origin)
    CROSS JOIN LATERAL (${range}) AS ranges
    ORDER BY id ${order}
    LIMIT asked.page_limit`
    : range;
  return `
    SELECT page.delimited
    FROM unnest(
      (SELECT $2::int[]), (SELECT $3::uuid[]), (SELECT $4::uuid[]), (SELECT $5::text[]), (SELECT $6::suppression_cause[])
    ) WITH ORDINALITY AS asked (page_limit, page_start, page_end, domain, origin, place)
    CROSS JOIN LATERAL (SELECT ${DELIMITED_SUPPRESSIONS} FROM (${page}) AS shown) AS page
    ORDER BY asked.place`;
}
