import type { DataSource } from 'typeorm';

/**
 * The age of the last transaction that the replica shows, or 0 if it shows all that its primary sends. Without a connection to the
 * primary, it cannot know that.
 */
const READ_LAG = `
  SELECT CASE
    WHEN NOT pg_is_in_recovery() THEN 0
    WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
    ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::double precision
  END AS seconds`;

export async function readLag(replica: DataSource): Promise<number | undefined> {
  const [row] = await replica.query<{ seconds: number | null }[]>(READ_LAG);
  return row?.seconds ?? undefined;
}
