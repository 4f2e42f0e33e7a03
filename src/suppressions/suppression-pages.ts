import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { PackedRows } from '../database/packed.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { MAX_LIMIT, toPage, type Page } from '../http/page.js';
import { ORIGINS, type Origin } from './cause.js';
import { GatheredReads, type Gathering } from './gathered-reads.js';
import { lowestIdAt } from './suppression-id.js';
import { PACKED_SUPPRESSIONS, unpackSuppressions, type FoundSuppression } from './suppression-lookup.js';

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

/** As `originOf` has it; the indexes for listing have the same words. */
const ORIGIN = `CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END`;

/** For each part of a filter, SQL of a row and an operator, and the type of the value behind it. */
const CONDITIONS = {
  after: ['id <', 'uuid'],
  before: ['id >', 'uuid'],
  origin: [`${ORIGIN} =`, 'suppression_cause'],
  domain: [`split_part(email, '@', -1) =`, 'text'],
  createdFrom: ['id >=', 'uuid'],
  createdBefore: ['id <', 'uuid'],
} as const;

type FilterPart = keyof typeof CONDITIONS;

const FILTER_PARTS = Object.keys(CONDITIONS) as FilterPart[];

/** Pages that one statement can read. */
interface Listing {
  accountId: number;
  /** The parts that the filter has. */
  parts: FilterPart[];
}

interface AskedPage {
  limit: number;
  /** One for each part of the filter. */
  values: (string | undefined)[];
}

/** Few, so that PostgreSQL reads pages while we write those before. */
const GATHERING: Gathering<Listing> = {
  keyOf: ({ accountId, parts }) => `${accountId} ${parts.join(' ')}`,
  atOnce: 3,
  onTheWay: 2,
};

/** Reads the list. Pages of the same moment are gathered into one statement where account and parts of the filter are the same. */
@Injectable()
export class SuppressionPages {
  private readonly pages: GatheredReads<Listing, AskedPage, FoundSuppression[]>;

  constructor(@InjectDataSource() dataSource: DataSource) {
    this.pages = new GatheredReads(GATHERING, async ({ accountId, parts }, asked) => {
      const limits = asked.map(({ limit }) => limit);
      const values = parts.map((_, part) => asked.map((page) => page.values[part]));
      const answers = await statementOf(parts).run(dataSource, [accountId, limits, ...values]);
      return answers.map((answer) => unpackSuppressions([answer]));
    });
  }

  /** Newest first; the order of the ids is the order of creation, so every page is a range of an index. */
  async read(accountId: number, limit: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    const valueOf = {
      ...filter,
      createdFrom: lowestIdFrom(filter.createdFrom),
      createdBefore: lowestIdFrom(filter.createdBefore),
    };
    const parts = FILTER_PARTS.filter((part) => valueOf[part] !== undefined);
    const values = parts.map((part) => valueOf[part]);
    const found = await this.pages.read({ accountId, parts }, { limit: limit + 1, values });
    const { elements, hasMore } = toPage(found, limit);
    return { elements: filter.before ? elements.toReversed() : elements, hasMore };
  }
}

function lowestIdFrom(moment: number | undefined): string | undefined {
  return moment === undefined ? undefined : lowestIdAt(moment);
}

/** Every combination of filters has a statement of its own. TypeORM's query builder took half of a page's time. */
const statements = new Map<string, PreparedStatement<PackedRows>>();

function statementOf(parts: FilterPart[]): PreparedStatement<PackedRows> {
  const name = ['list', ...parts].join('-');
  let statement = statements.get(name);
  if (!statement) {
    statement = new PreparedStatement(name, textOf(parts));
    statements.set(name, statement);
  }
  return statement;
}

/**
 * Reads pages, each of its own limit and values. PostgreSQL keeps the plan of a statement if it does not cost more, as far as
 * it can tell, than plans made of the values; else it plans each page anew, which takes a third of its time. So a range has
 * the longest limit as a number, since of a limit that is not known it expects a tenth of the account; and the arrays stand
 * behind sub-selects, where their lengths tell it nothing. Of accounts of very uneven sizes it may plan pages anew all the same.
 */
function textOf(parts: FilterPart[]): string {
  const order = `ORDER BY id ${parts.includes('before') ? 'ASC' : 'DESC'}`;
  const conditions = ['account_id = $1', ...parts.map((part) => `${CONDITIONS[part][0]} asked.${part}`)];
  const range = (...more: string[]) => `
    SELECT *
    FROM (
      SELECT id, email, cause, created_at, source_id
      FROM suppressions
      WHERE ${[...conditions, ...more].join(' AND ')}
      ${order}
      LIMIT ${MAX_LIMIT + 1}
    ) AS longest
    LIMIT asked.page_limit`;
  // The index by domain goes on by origin: where no origin is asked for, a page is the merge of a range for each.
  const page =
    parts.includes('domain') && !parts.includes('origin')
      ? `
    SELECT ranges.*
    FROM unnest('{${ORIGINS.join(',')}}'::suppression_cause[]) AS listed (origin)
    CROSS JOIN LATERAL (${range(`${ORIGIN} = listed.origin`)}) AS ranges
    ${order}
    LIMIT asked.page_limit`
      : range();
  const types = ['int', ...parts.map((part) => CONDITIONS[part][1])];
  const arrays = types.map((type, index) => `(SELECT $${index + 2}::${type}[])`);
  return `
    SELECT page.packed
    FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS asked (${['page_limit', ...parts, 'place'].join(', ')})
    CROSS JOIN LATERAL (SELECT ${PACKED_SUPPRESSIONS} FROM (${page}) AS shown) AS page
    ORDER BY asked.place`;
}
