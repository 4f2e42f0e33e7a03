import { PROVIDER_SETTLING_MS } from '../../config/time-limits.js';
import { IS_LIVE, LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import type { LineKind } from '../plans/line-kinds.js';

/** How many rows a statement compares, which takes a fraction of the time limit of a step. */
export const BATCH_ROWS = 2_000;

export const SETTLING = `interval '${PROVIDER_SETTLING_MS} milliseconds'`;

/** The last row that was compared: its address, list, and spelling. */
export type Position = [email: string, list: string, address: string];

export const START: Position = ['', '', ''];

export interface Compared {
  /** Null if there are no more rows. */
  last: Position | null;
  counts: Partial<Record<LineKind, number>>;
  /** The bounces among the lines of the kind `push`. */
  pushedBounces: number;
}

export const RESULT = `
  SELECT
    (
      SELECT ARRAY[email, list, address]
      FROM batch
      ORDER BY email DESC, list DESC, address DESC
      LIMIT 1
    ) AS last,
    (
      SELECT coalesce(jsonb_object_agg(kind, number), '{}')
      FROM (SELECT kind, count(*) AS number FROM line GROUP BY kind) AS numbers
    ) AS counts,
    (SELECT count(*) FROM line WHERE kind = 'push' AND cause = 'bounce')::integer AS "pushedBounces"`;

export const INSERT_LINES = `
  INSERT INTO provider_list_lines (
    account_id, plan_id, kind, email, list, address, cause, listed_at, reason, adds, revision
  )`;

export const AFTER = `(email, list, address) > ($3, $4, $5)
    ORDER BY email, list, address
    LIMIT ${BATCH_ROWS}`;

/** The causes of the address of a batch here. */
export const SUPPRESSED = `
  SELECT ${LIVE_CAUSES} AS causes
  FROM suppressions
  WHERE account_id = $1 AND email = batch.email AND ${IS_LIVE}
  LIMIT 1`;

/**
 * Looks entries up row by row. A new plan has no statistics, so PostgreSQL would otherwise join all of its entries for each
 * batch.
 */
export const LISTED = `
  SELECT email
  FROM provider_list_entries
  WHERE account_id = $1 AND plan_id = $2 AND email = batch.email`;
