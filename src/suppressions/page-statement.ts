import type { DelimitedRows } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/row-set.js';
import { MAX_LIMIT } from '../http/page.js';
import { DELIMITED_SUPPRESSIONS } from './suppression-lookup.js';
import { IS_LIVE, LIVE_CAUSES, RECORD_CAUSES } from './suppression.entity.js';

export const PAGES = new RowSet(2, {
  size: 'integer',
  startId: 'uuid',
  endId: 'uuid',
  startAt: 'timestamptz',
  endAt: 'timestamptz',
  domain: 'text',
  masks: 'text',
});

/** Pages that one statement can read. */
export interface PageKind {
  accountId: number;
  byDomain: boolean;
  byCauses: boolean;
  isBackwards: boolean;
}

export function nameOf({ byDomain, byCauses, isBackwards }: PageKind): string {
  return ['list', byDomain && 'by-domain', byCauses && 'by-causes', isBackwards && 'backwards']
    .filter(Boolean)
    .join('-');
}

const statements = new Map<string, PreparedStatement<DelimitedRows>>();

export function statementFor(kind: PageKind): PreparedStatement<DelimitedRows> {
  const name = nameOf(kind);
  let statement = statements.get(name);
  if (!statement) {
    statement = new PreparedStatement(name, sqlFor(kind));
    statements.set(name, statement);
  }
  return statement;
}

/**
 * Reads pages, each with its own limit and filter. Two rules keep its plan cached and good; part `list` of the benchmark
 * measures them:
 *
 * - PostgreSQL caches a plan only if it expects plans made for the values to be no cheaper. So a range has the longest limit
 *   as a constant, since PostgreSQL expects a tenth of the account for an unknown one, and the arrays are sub-selects, which
 *   hide their lengths.
 * - A plan made for a small account must be good when it has grown. So rows are compared and ordered as only the index of
 *   the filter allows. The indexes end in the timestamp: a range takes all records of its last one, and is then sorted by id.
 *   Without a filter, the end of the page is applied after the limit, since with two bounds any index would seem good enough.
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
