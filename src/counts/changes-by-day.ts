import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { Cause } from '../ledger/cause.js';
import { lowestIdAt } from '../suppressions/suppression-id.js';

export interface DailyChanges {
  day: string;
  cause: Cause;
  isRemoval: boolean;
  count: number;
}

/**
 * The expiry of a cause removes the record only if no other cause keeps it. Then the record is gone, and its
 * last ledger line is about the strongest cause that expired.
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

const COUNT = new PreparedStatement<DailyChanges>(
  'count-changes-by-day',
  `SELECT
    (created_at AT TIME ZONE 'UTC')::date::text AS day,
    cause,
    action <> 'added' AS "isRemoval",
    count(*)::integer
  FROM suppression_changes AS line
  WHERE account_id = $1
    AND id > $2
    AND (action IN ('added', 'removed') OR action = 'expired' AND ${REMOVED_ITS_RECORD})
  GROUP BY 1, 2, 3`,
);

export function countChangesByDay(
  accountId: number,
  since: Date,
  snapshot: EntityManager,
): Promise<DailyChanges[]> {
  return COUNT.run(snapshot, [accountId, lowestIdAt(since.getTime())]);
}
