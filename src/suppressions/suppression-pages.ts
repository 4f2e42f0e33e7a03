import { Injectable } from '@nestjs/common';
import { BatchedReads, type BatchOptions } from '../database/batched-reads.js';
import { type DelimitedRows, RowSet } from '../database/rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import { MAX_LIMIT, toPage, type Page } from '../http/page.js';
import { masksOf, type CauseFilter } from '../ledger/cause.js';
import { HIGHEST_ID, LOWEST_ID } from '../validation/parsers.js';
import { idRangeOf, type SuppressionFilter } from './suppression-filter.js';
import { createdAtOf } from './suppression-id.js';
import { DELIMITED_SUPPRESSIONS, parseSuppressions, type FoundSuppression } from './suppression-lookup.js';
import { IS_LIVE, LIVE_CAUSES, RECORD_CAUSES } from './suppression.entity.js';

export interface ListFilter extends SuppressionFilter {
  /** The page begins after this id. */
  after?: string | undefined;
  /** The page ends before this id. */
  before?: string | undefined;
}

/** The first records between two ids, in the direction of reading. */
interface PageRange extends CauseFilter {
  limit: number;
  start: string;
  end: string;
  domain: string | undefined;
}

const BATCHES: BatchOptions<PageKind> = {
  keyOf: (group) => `${group.accountId} ${nameOf(group)} ${group.isOnPrimary}`,
  maxBatch: 4,
  maxRunning: 2,
  isPipelined: true,
};

/** Reads the list. Simultaneous pages of one {@link PageKind} are batched into one statement. */
@Injectable()
export class SuppressionPages {
  private readonly pages: BatchedReads<PageKind, PageRange, DelimitedRows>;

  constructor(private readonly replica: ReadReplica) {
    this.pages = new BatchedReads(BATCHES, async (group, ranges) => {
      const pages = ranges.map(({ limit, start, end, domain = null, ...causes }) => ({
        size: limit,
        startId: start,
        endId: end,
        startAt: createdAtOf(start),
        endAt: createdAtOf(end),
        domain,
        masks: group.byCauses || group.byDomain ? `{${masksOf(causes).join(',')}}` : null,
      }));
      const values = [group.accountId, ...PAGES.values(pages)];
      const read = () => replica.read((dataSource) => statementFor(group).run(dataSource, values));
      return group.isOnPrimary ? replica.onPrimary(read) : read();
    });
  }

  /**
   * A page of the list, newest first. The order of the ids is the order of creation. No record has the lowest id of a
   * millisecond, which is not a UUIDv7 (RFC 9562, section 4.2), so it does not matter whether such a bound is included.
   */
  async read(accountId: number, limit: number, filter: ListFilter): Promise<Page<FoundSuppression>> {
    const { after = HIGHEST_ID, before = LOWEST_ID, domain, cause, origin } = filter;
    const { lowest, end } = idRangeOf(filter);
    const low = before > lowest ? before : lowest;
    const high = after < end ? after : end;
    const isBackwards = filter.before !== undefined;
    const rows = await this.pages.read(
      {
        accountId,
        byDomain: domain !== undefined,
        byCauses: cause !== undefined || origin !== undefined,
        isBackwards,
        isOnPrimary: this.replica.isOnPrimary,
      },
      {
        limit: limit + 1,
        start: isBackwards ? low : high,
        end: isBackwards ? high : low,
        domain,
        cause,
        origin,
      },
    );
    const { elements, hasMore } = toPage(parseSuppressions([rows]), limit);
    return { elements: isBackwards ? elements.toReversed() : elements, hasMore };
  }
}

const PAGES = new RowSet(2, {
  size: 'integer',
  startId: 'uuid',
  endId: 'uuid',
  startAt: 'timestamptz',
  endAt: 'timestamptz',
  domain: 'text',
  masks: 'text',
});

/** Pages that one statement can read. */
interface PageKind {
  accountId: number;
  byDomain: boolean;
  byCauses: boolean;
  isBackwards: boolean;
  /**
   * See {@link ReadReplica.onPrimary}. It is part of the group, because a batch runs outside of the requests that wait for it.
   */
  isOnPrimary: boolean;
}

function nameOf({ byDomain, byCauses, isBackwards }: PageKind): string {
  return ['list', byDomain && 'by-domain', byCauses && 'by-causes', isBackwards && 'backwards']
    .filter(Boolean)
    .join('-');
}

const statements = new Map<string, PreparedStatement<DelimitedRows>>();

function statementFor(kind: PageKind): PreparedStatement<DelimitedRows> {
  const name = nameOf(kind);
  let statement = statements.get(name);
  if (!statement) {
    statement = new PreparedStatement(name, sqlFor(kind));
    statements.set(name, statement);
  }
  return statement;
}

/**
 * SQL that reads pages, each with its own limit and filter. Two rules keep its plan cached and good; the part `list` of the
 * benchmark measures them:
 *
 * - PostgreSQL caches a plan only if it does not expect plans for specific values to be cheaper. So a range has the highest
 *   limit as a constant, since PostgreSQL assumes a tenth of the account for an unknown limit, and the arrays are sub-selects,
 *   which hide their lengths.
 * - A plan made for a small account must still be good after the account has grown. So rows are compared and ordered in a way
 *   that only the index of the filter supports. The indexes end in the timestamp: a range takes all records with its last
 *   timestamp, and is then sorted by id. Without a filter, the end of the page is applied after the limit, since with two
 *   bounds any index would seem good enough.
 *
 * The keys of the filters contain all causes of a record as a mask, so a filtered page merges a range for each mask. PostgreSQL
 * computes the key of a record again if the index lacks a compared column, so the id is compared alone. The masks of a page are
 * an array in a text, because the arrays in an array must have the same length.
 */
function sqlFor({ byDomain, byCauses, isBackwards }: PageKind): string {
  const [isAfter, isBefore, order] = isBackwards ? ['>', '<', 'ASC'] : ['<', '>', 'DESC'];
  const isFiltered = byDomain || byCauses;
  const [key, value] = byDomain
    ? [`domain_key(split_part(email, '@', -1), ${RECORD_CAUSES})`, 'domain_key(page.domain, listed.mask)']
    : [`(${RECORD_CAUSES})`, 'listed.mask'];
  const bounds = isFiltered
    ? `(${key}, created_at) ${isAfter}= (${value}, page.start_at) AND id ${isAfter} page.start_id
        AND (${key}, created_at) ${isBefore}= (${value}, page.end_at)`
    : `(created_at, id) ${isAfter} (page.start_at, page.start_id)`;
  const range = `
    SELECT *
    FROM (
      SELECT id, email, cause, created_at, email_id
      FROM suppressions
      WHERE account_id = $1
        AND ${byCauses ? `(expires_at IS NULL OR ${LIVE_CAUSES} = ANY (page.masks::int[]))` : IS_LIVE}
        AND ${bounds}
        ${byDomain ? `AND split_part(email, '@', -1) = page.domain` : ''}
      ORDER BY ${isFiltered ? `${key} ${order},` : ''} created_at ${order}
      FETCH FIRST ${MAX_LIMIT + 1} ROWS WITH TIES
    ) AS longest
    WHERE (created_at, id) ${isBefore} (page.end_at, page.end_id)
    ORDER BY created_at ${order}, id ${order}
    LIMIT page.size`;
  const records = isFiltered
    ? `
    SELECT ranges.*
    FROM unnest(page.masks::int[]) AS listed (mask)
    CROSS JOIN LATERAL (${range}) AS ranges
    ORDER BY created_at ${order}, id ${order}
    LIMIT page.size`
    : range;
  return `
    SELECT delimited
    FROM ${PAGES.as('page', { isNumbered: true, hidesLength: true })}
    CROSS JOIN LATERAL (SELECT ${DELIMITED_SUPPRESSIONS} FROM (${records}) AS record) AS records
    ORDER BY page.number`;
}
