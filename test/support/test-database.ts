import { randomUUID } from 'node:crypto';
import { Client, Pool, type QueryResultRow } from 'pg';
import { isOnCitus } from './citus-settings.js';
import { queryShards } from './citus.js';
import { until } from './until.js';

export interface TestDatabase {
  name: string;
  url: string;
  query<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Locks a table against everybody until it is released; in the mode EXCLUSIVE, against being changed. */
  lock(table: string, mode?: 'ACCESS EXCLUSIVE' | 'EXCLUSIVE'): Promise<{ release(): Promise<void> }>;
  /** Locks all tables but one against being changed until they are released. */
  lockWrites(except: string): Promise<{ release(): Promise<void> }>;
  /** Locks rows against being changed until it is released. */
  lockRow(table: string, condition: string): Promise<{ release(): Promise<void> }>;
  /** Holds the lock of the migrations until it is released. */
  lockMigrations(): Promise<{ release(): Promise<void> }>;
  /** Puts an address on a list, for nobody to see, until it is released. */
  lockPlace(accountId: number, email: string): Promise<{ release(): Promise<void> }>;
  /** How many connections of the service are in a transaction or a statement. */
  countBusy(): Promise<number>;
  /** How many sessions of this database wait for a lock. */
  countWaiting(): Promise<number>;
  /** Waits until one or more sessions of this database wait for a lock. */
  untilWaiting(sessions?: number): Promise<void>;
  /** Waits until sessions of this database wait for a lock, and cancels their statements, as the timeout of a statement does. */
  cancelWaiting(sessions?: number): Promise<void>;
  drop(): Promise<void>;
}

/**
 * A fresh database on the server of the run, migrated unless said otherwise. Copying files takes half as long as copying blocks
 * through the log.
 *
 * @param copyOf - the database to copy, which nobody may use at that time
 */
export async function createTestDatabase({
  copyOf,
  migrated = copyOf === undefined,
}: { copyOf?: TestDatabase; migrated?: boolean } = {}): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL!;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = copyOf?.name ?? (migrated ? process.env.TEST_DATABASE_TEMPLATE! : 'template0');
  await withClient(server, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`),
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  const pool = new Pool({ connectionString: url.href, max: 4 });
  pool.on('error', () => undefined);
  const plain: TestDatabase['query'] = async (sql, values) => (await pool.query(sql, values)).rows;
  const shards = isOnCitus && migrated ? await queryShards(url.href, plain) : undefined;
  return {
    name,
    url: url.href,
    query: shards?.query ?? plain,
    countBusy: async () => {
      const { rows } = await pool.query(
        `SELECT count(*)::integer AS busy FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'suppression-list' AND state <> 'idle'`,
      );
      return rows[0].busy;
    },
    countWaiting: () => countWaiting(pool),
    untilWaiting: (sessions = 1) => untilWaiting(pool, sessions),
    cancelWaiting: async (sessions = 1) => {
      await untilWaiting(pool, sessions);
      await pool.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    },
    lock: (table, mode = 'ACCESS EXCLUSIVE') =>
      hold(pool, `LOCK TABLE ${shards?.shardsOf(table) ?? table} IN ${mode} MODE`),
    lockWrites: async (except) => {
      const { rows } = await pool.query(
        `SELECT string_agg(quote_ident(tablename), ', ') AS tables
        FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> $1`,
        [except],
      );
      return hold(pool, `LOCK TABLE ${rows[0].tables} IN EXCLUSIVE MODE`);
    },
    lockRow: (table, condition) => {
      const lock = `SELECT FROM ${table} WHERE ${condition} FOR UPDATE`;
      return hold(pool, shards?.onShards(lock) ?? lock);
    },
    lockMigrations: () => hold(pool, 'SELECT pg_advisory_xact_lock(5201003)'),
    lockPlace: (accountId, email) =>
      hold(
        pool,
        `INSERT INTO suppressions (account_id, id, email, cause, created_at)
        VALUES (${accountId}, uuid_v7(), '${email}', 'bounce', now())`,
      ),
    drop: async () => {
      await shards?.close();
      await pool.end();
      await withClient(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

async function countWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::integer AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}

function untilWaiting(pool: Pool, sessions: number): Promise<void> {
  return until(async () => (await countWaiting(pool)) >= sessions);
}

async function hold(pool: Pool, lock: string): Promise<{ release(): Promise<void> }> {
  const client = await pool.connect();
  await client.query(`BEGIN; ${lock}`);
  return {
    release: async () => {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
