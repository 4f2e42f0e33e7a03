import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { Cause } from '../ledger/cause.js';
import { lowestIdAt } from '../validation/parsers.js';

export interface DailyChanges {
  day: string;
  cause: Cause;
  isRemoval: boolean;
  count: number;
}

/**
 * SQL condition: an expiry removed the record, because no other cause kept it. The record is gone, and its last ledger line is
 * about the strongest cause that expired.
 */
const REMOVED_ITS_RECORD = `
  NOT EXISTS (
    SELECT FROM suppressions
    WHERE account_id = $1 AND email = line.email AND id = line.suppression_id
  )
  AND NOT EXISTS (
    SELECT FROM suppression_changes AS later
    WHERE later.account_id = $1
      AND later.email = line.email
      AND later.revision > line.revision
      AND later.suppression_id = line.suppression_id
  )`;

/** SQL for the changes of each day in some lines of the ledger. */
const changesIn = (lines: string) => `
  SELECT (created_at AT TIME ZONE 'UTC')::date AS day, cause, action <> 'added' AS is_removal, count(*) AS count
  FROM ${lines} AS line
  WHERE action IN ('added', 'removed') OR action = 'expired' AND ${REMOVED_ITS_RECORD}
  GROUP BY 1, 2, 3`;

const COUNT = new PreparedStatement<DailyChanges>(
  'count-changes-by-day',
  `SELECT day::text, cause, is_removal AS "isRemoval", sum(count)::integer AS count
  FROM (
    SELECT day, cause, is_removal, count
    FROM change_totals
    JOIN counted_accounts USING (account_id)
    WHERE account_id = $1 AND day >= $2
    UNION ALL
    ${changesIn(`(
      SELECT *
      FROM suppression_changes
      WHERE account_id = $1
        AND id > greatest($3::uuid, (SELECT changes_until FROM counted_accounts WHERE account_id = $1))
    )`)}
  ) AS change
  GROUP BY 1, 2, 3`,
);

/**
 * Adds lines of the ledger to the totals: at most `$4`, from `$2` on, but none of `$3` or later. Returns how many. The first
 * parameter is the account.
 */
export const ADD_CHANGES = `
  WITH line AS MATERIALIZED (
    SELECT *
    FROM suppression_changes
    WHERE account_id = $1
      AND id > greatest($2::uuid, (SELECT changes_until FROM counted_accounts WHERE account_id = $1))
      AND id < $3
    ORDER BY id
    LIMIT $4
  ),
  added AS (
    INSERT INTO change_totals AS total (account_id, day, cause, is_removal, count)
    SELECT $1, day, cause, is_removal, count FROM (${changesIn('line')}) AS change
    ON CONFLICT (account_id, day, cause, is_removal) DO UPDATE SET count = total.count + excluded.count
  ),
  moved AS (
    UPDATE counted_accounts
    SET changes_until = (SELECT id FROM line ORDER BY id DESC LIMIT 1)
    WHERE account_id = $1 AND EXISTS (SELECT FROM line)
  )
  SELECT count(*)::integer AS added FROM line`;

export function countChangesByDay(
  accountId: number,
  since: Date,
  snapshot: EntityManager,
): Promise<DailyChanges[]> {
  return COUNT.run(snapshot, [accountId, since.toISOString().slice(0, 10), lowestIdAt(since.getTime())]);
}
