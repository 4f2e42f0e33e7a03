import type { DelimitedRows } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { MAX_LIMIT } from '../http/page.js';
import { ORIGINS } from '../ledger/cause.js';
import { DELIMITED_SUPPRESSIONS } from './suppression-lookup.js';
import { IS_LIVE } from './suppression.entity.js';

/** Pages that one statement can read. */
export interface PageKind {
  accountId: number;
  byDomain: boolean;
  byOrigin: boolean;
  isBackwards: boolean;
}

export function nameOf({ byDomain, byOrigin, isBackwards }: PageKind): string {
  return ['list', byDomain && 'by-domain', byOrigin && 'by-origin', isBackwards && 'backwards']
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
 */
function sqlFor({ byDomain, byOrigin, isBackwards }: PageKind): string {
  const [isAfter, isBefore, order] = isBackwards ? ['>', '<', 'ASC'] : ['<', '>', 'DESC'];
  // The key of a domain contains an origin: without a filter by origin, a page merges a range for each.
  const isMerged = byDomain && !byOrigin;
  const origin = isMerged ? 'listed.origin' : 'page.origin';
  const [key, value] = byDomain
    ? [`domain_key(split_part(email, '@', -1), cause)`, `domain_key(page.domain, ${origin})`]
    : [`CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END`, origin];
  const hasKey = byDomain || byOrigin;
  const compare = (operator: string, bound: 'start' | 'end') =>
    hasKey
      ? `(${key}, created_at, id) ${operator} (${value}, page.${bound}_at, page.${bound}_id)`
      : `(created_at, id) ${operator} (page.${bound}_at, page.${bound}_id)`;
  const range = `
    SELECT *
    FROM (
      SELECT id, email, cause, created_at, email_id
      FROM suppressions
      WHERE account_id = $1
        AND ${IS_LIVE}
        AND ${compare(isAfter, 'start')}
        ${hasKey ? `AND ${compare(isBefore, 'end')}` : ''}
        ${byDomain ? `AND split_part(email, '@', -1) = page.domain` : ''}
      ORDER BY ${hasKey ? `${key} ${order},` : ''} created_at ${order}
      FETCH FIRST ${MAX_LIMIT + 1} ROWS WITH TIES
    ) AS longest
    WHERE (created_at, id) ${isBefore} (page.end_at, page.end_id)
    ORDER BY created_at ${order}, id ${order}
    LIMIT page.size`;
  const records = isMerged
    ? `
    SELECT ranges.*
    FROM unnest('{${ORIGINS.join(',')}}'::suppression_cause[]) AS listed (origin)
    CROSS JOIN LATERAL (${range}) AS ranges
    ORDER BY created_at ${order}, id ${order}
    LIMIT page.size`
    : range;
  return `
    SELECT delimited
    FROM unnest(
      (SELECT $2::int[]), (SELECT $3::uuid[]), (SELECT $4::uuid[]), (SELECT $5::timestamptz[]),
      (SELECT $6::timestamptz[]), (SELECT $7::text[]), (SELECT $8::suppression_cause[])
    ) WITH ORDINALITY AS page (size, start_id, end_id, start_at, end_at, domain, origin, number)
    CROSS JOIN LATERAL (SELECT ${DELIMITED_SUPPRESSIONS} FROM (${records}) AS record) AS records
    ORDER BY page.number`;
}
