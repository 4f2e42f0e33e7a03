import type { DataSource, EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/rows.js';

/** The changes after a position, including those that wait for positions. */
export interface FeedBacklog {
  changes: number;
  /** When the first of these changes was made. Null if there are none. */
  since: Date | null;
}

const READERS = new RowSet(1, { accountId: 'integer', position: 'bigint' });

interface ReadBacklog {
  accountId: number;
  position: string;
  changes: string;
  since: Date | null;
}

/** The result for an account whose server cannot be reached. */
const NONE = { changes: '0', since: null };

const READ_BACKLOGS = new PreparedStatement<ReadBacklog>(
  'read-feed-backlogs',
  `SELECT
    requested.account_id AS "accountId",
    requested.position::text AS position,
    coalesce(head.last_position, 0) - requested.position + pending.changes AS changes,
    (
      SELECT created_at
      FROM suppression_changes
      WHERE account_id = requested.account_id AND id = coalesce(next.change_id, pending.first_id)
    ) AS since
  FROM ${READERS.as('requested')}
  LEFT JOIN feed_heads AS head ON head.account_id = requested.account_id
  LEFT JOIN LATERAL (
    SELECT change_ids[requested.position + 1 - first_position + 1] AS change_id
    FROM feed_pages
    WHERE account_id = requested.account_id AND first_position <= requested.position + 1
    ORDER BY first_position DESC
    LIMIT 1
  ) AS next ON true
  CROSS JOIN LATERAL (
    SELECT
      coalesce(sum(cardinality(change_ids)), 0) AS changes,
      (array_agg(change_ids[1] ORDER BY id))[1] AS first_id
    FROM feed_pending
    WHERE account_id = requested.account_id
  ) AS pending`,
);

/** Does not assign positions, so it can be called for metrics. */
export async function readFeedBacklogs(
  on: DataSource | EntityManager,
  readers: { accountId: number; position: string }[],
): Promise<FeedBacklog[]> {
  const rows = await READ_BACKLOGS.run(on, READERS.values(readers));
  // Rows are in no particular order, since accounts may be on several servers.
  const found = new Map(rows.map((row) => [`${row.accountId}/${row.position}`, row]));
  return readers.map(({ accountId, position }) => {
    const { changes, since } = found.get(`${accountId}/${position}`) ?? NONE;
    return { changes: Number(changes), since };
  });
}
