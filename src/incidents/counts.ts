import type { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/rows.js';
import { BUCKET_MS, WINDOW_MS, type HardCount } from './detect.js';
import { NO_TEXT, type IncidentCount } from './incident.entity.js';
import type { Watch } from './watches.js';

/** Deleting this many events takes a fraction of the statement timeout. */
const DELETED_ROWS = 10_000;

export type NewCount = Omit<IncidentCount, 'accountId'>;

const ADDED = new RowSet(2, {
  at: 'timestamptz',
  textHash: 'uuid',
  receivingGroup: 'text',
  results: 'integer',
  addresses: 'integer',
  known: 'integer',
  recent: 'integer',
});

const ADD = new PreparedStatement<Record<string, never>>(
  'add-incident-counts',
  `INSERT INTO incident_counts AS count (account_id, ${ADDED.names})
  SELECT $1, added.* FROM ${ADDED.as('added')}
  ON CONFLICT (account_id, at, text_hash, receiving_group) DO UPDATE
  SET results = count.results + excluded.results,
    addresses = count.addresses + excluded.addresses,
    known = count.known + excluded.known,
    recent = count.recent + excluded.recent`,
);

const FIND_BOUNCED = new PreparedStatement<HardCount>(
  'find-incident-counts',
  `SELECT
    (extract(epoch FROM at) * 1000)::float8 AS at,
    receiving_group AS "group",
    nullif(text_hash, '${NO_TEXT}') AS text,
    addresses,
    known,
    recent
  FROM incident_counts
  WHERE account_id = $1 AND at >= $2 AND at <= $3 AND addresses > 0`,
);

/**
 * Sums all results of the groups in which an answer occurred within two days. A single hour would miss groups where the answer
 * is rare.
 */
const SUM_RESULTS = new PreparedStatement<{ name: string; at: Date; results: number }>(
  'sum-results-of-incident-keys',
  `WITH occurrence AS (
    SELECT DISTINCT text_hash::text AS name, receiving_group
    FROM incident_counts
    WHERE account_id = $1 AND text_hash = ANY ($4::uuid[]) AND text_hash <> '${NO_TEXT}' AND at > $2::timestamptz - interval '2 days'
    UNION
    SELECT name, name FROM unnest($5::text[] COLLATE "C") AS name
  )
  SELECT name, total.at, sum(total.results)::integer AS results
  FROM incident_counts AS total
  JOIN occurrence USING (receiving_group)
  WHERE total.account_id = $1 AND total.at >= $2 AND total.at <= $3 AND total.text_hash = '${NO_TEXT}'
  GROUP BY name, total.at`,
);

const FIND_SHARES = new PreparedStatement<{ key: string; shares: number[] }>(
  'find-incident-shares',
  `SELECT key, array_agg(share) AS shares
  FROM incident_shares
  WHERE account_id = $1 AND key = ANY ($2) AND day >= $3::date - 28 AND day < $3::date
  GROUP BY key`,
);

/** SQL for the day in `$2`, in UTC. */
const OF_DAY = `at >= $2::date::timestamp AT TIME ZONE 'UTC' AND at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'`;

/**
 * Smaller numbers of addresses in a day, and smaller shares, do not matter even for the lowest threshold that an account can
 * set.
 */
const RARE = 'sum(bounced.addresses) < 10 OR sum(bounced.addresses) < 0.002 * sum(total.results)';

/**
 * Stores the shares of a day, by group and by answer. The results of an answer are those of the groups in which it occurred.
 */
const SUM_UP_DAY = new PreparedStatement<Record<string, never>>(
  'sum-up-incident-day',
  `WITH bounced AS MATERIALIZED (
    SELECT text_hash, receiving_group, sum(addresses) AS addresses
    FROM incident_counts
    WHERE account_id = $1 AND ${OF_DAY} AND addresses > 0
    GROUP BY 1, 2
  ),
  total AS MATERIALIZED (
    SELECT receiving_group, sum(results) AS results
    FROM incident_counts
    WHERE account_id = $1 AND ${OF_DAY} AND text_hash = '${NO_TEXT}'
    GROUP BY 1
  ),
  of_group AS (
    SELECT receiving_group, sum(addresses) AS addresses FROM bounced GROUP BY 1
  )
  INSERT INTO incident_shares (account_id, key, day, share)
  SELECT $1, receiving_group, $2::date, least(1, sum(bounced.addresses) / sum(total.results))
  FROM of_group AS bounced JOIN total USING (receiving_group)
  GROUP BY receiving_group
  HAVING NOT (${RARE})
  UNION ALL
  SELECT $1, text_hash::text, $2::date, least(1, sum(bounced.addresses) / sum(total.results))
  FROM bounced JOIN total USING (receiving_group)
  WHERE text_hash <> '${NO_TEXT}'
  GROUP BY text_hash
  HAVING NOT (${RARE})
  ON CONFLICT DO NOTHING`,
);

const deleteOld = (name: string, table: string, condition: string) =>
  new PreparedStatement<{ day: string }>(
    name,
    `DELETE FROM ${table}
    WHERE account_id = $1
      AND ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE account_id = $1 AND ${condition} LIMIT ${DELETED_ROWS}))
    RETURNING $2::text AS day`,
  );

const DELETE_COUNTS = deleteOld('delete-old-incident-counts', 'incident_counts', 'at < $2::date - 2');
const DELETE_SHARES = deleteOld('delete-old-incident-shares', 'incident_shares', 'day < $2::date - 28');

export async function addCounts({ accountId, transaction }: Watch, counts: NewCount[]): Promise<void> {
  const rows = counts.map((count) => ({ ...count, receivingGroup: count.group }));
  await ADD.run(transaction, [accountId, ...ADDED.values(rows)]);
}

/** Counts with addresses, of all windows that contain any of these times. */
export function findBounced(
  { accountId, transaction }: Watch,
  { first, last }: { first: number; last: number },
): Promise<HardCount[]> {
  const start = new Date(first - WINDOW_MS + BUCKET_MS);
  return FIND_BOUNCED.run(transaction, [accountId, start, new Date(last + WINDOW_MS - BUCKET_MS)]);
}

/** The results of keys, by their names and by five-minute interval. */
export async function sumResults(
  { accountId, transaction }: Watch,
  { first, last, texts, groups }: { first: number; last: number; texts: string[]; groups: string[] },
): Promise<Map<string, Map<number, number>>> {
  const range = [new Date(first), new Date(last + WINDOW_MS)];
  const rows = await SUM_RESULTS.run(transaction, [accountId, ...range, texts, groups]);
  const byKey = new Map<string, Map<number, number>>();
  for (const { name, at, results } of rows) {
    byKey.set(name, (byKey.get(name) ?? new Map<number, number>()).set(at.getTime(), results));
  }
  return byKey;
}

/** The shares of the last 28 days, keyed by the name of the key. */
export async function findShares(
  { accountId, now, transaction }: Watch,
  keys: string[],
): Promise<Map<string, number[]>> {
  const rows = await FIND_SHARES.run(transaction, [accountId, keys, now.toISOString().slice(0, 10)]);
  return new Map(rows.map(({ key, shares }) => [key, shares]));
}

export async function sumUpDay({ accountId, day, transaction }: Watch): Promise<void> {
  await SUM_UP_DAY.run(transaction, [accountId, day]);
}

/**
 * Deletes some counts and shares that are too old at the end of a day.
 *
 * @param day - a day in UTC, such as `2026-01-15`
 * @returns whether there may be more
 */
export async function deleteOldCounts(
  dataSource: DataSource,
  accountId: number,
  day: string,
): Promise<boolean> {
  const counts = await DELETE_COUNTS.run(dataSource, [accountId, day]);
  const shares = await DELETE_SHARES.run(dataSource, [accountId, day]);
  return counts.length > 0 || shares.length > 0;
}
