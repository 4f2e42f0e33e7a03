import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import type { EventSource, EventSources } from './load/job.js';
import { runCli } from './processes.js';
import { insertFeedSql, insertLedgerSql, insertRecordsSql, type Records } from './records.js';

/** Memory as on a small database server; nothing that trades safety for speed. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '8GB', max_connections: '100' };
const ACCOUNT = 'bench';

/** A database full of records, and the account and key that own them. */
export interface LoadedDatabase {
  url: string;
  records: Records;
  apiKey: string;
  sources: EventSources;
}

export interface DiskUse {
  recordTable: number;
  recordIndexes: number;
  ledgerTable: number;
  ledgerIndexes: number;
}

/** A PostgreSQL server in a folder that goes when the server goes. */
export class ThrowAwayServer {
  private constructor(
    readonly folder: string,
    private readonly postgres: EmbeddedPostgres,
  ) {}

  static async start(): Promise<ThrowAwayServer> {
    const folder = await mkdtemp(join(tmpdir(), 'suppression-list-bench-'));
    try {
      return new ThrowAwayServer(
        folder,
        await EmbeddedPostgres.open(folder, { role: 'client', settings: SETTINGS }),
      );
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.postgres.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * A new database of this version with `rows` records and, if asked, their lines in the ledger.
   *
   * @param options - `accounts`: how many accounts share the records evenly; the benchmark works with the first
   */
  async load(
    name: string,
    rows: number,
    { withLedger, accounts = 1 }: { withLedger: boolean; accounts?: number },
  ): Promise<LoadedDatabase> {
    await withClient(this.postgres.url, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = new URL(this.postgres.url);
    url.pathname = `/${name}`;
    const settings = { DATABASE_URL: url.href };
    await runCli(this.folder, settings, 'migrate');
    await runCli(this.folder, settings, 'account', 'create', ACCOUNT, '--beta');
    const created = await runCli(this.folder, settings, 'key', 'create', '--account', ACCOUNT, '--json');
    const records = await withClient(url.href, (client) => insertRecords(client, rows, withLedger, accounts));
    const sources = {
      plain: await this.createSource({ url: url.href }, 'sparkpost'),
      limited: await this.createSource({ url: url.href }, 'sparkpost', '--soft-limit', '5/14d'),
    };
    return { url: url.href, records, apiKey: JSON.parse(created).key, sources };
  }

  async createSource(
    database: { url: string },
    provider: string,
    ...options: string[]
  ): Promise<EventSource> {
    const args = ['source', 'create', '--account', ACCOUNT, '--provider', provider, '--json', ...options];
    const settings = { DATABASE_URL: database.url };
    const { id, url, secrets } = JSON.parse(await runCli(this.folder, settings, ...args));
    return { id, path: new URL(url).pathname, authorization: authorizationOf(secrets) };
  }

  async version(): Promise<string> {
    return withClient(this.postgres.url, async (client) => {
      const { rows } = await client.query(`SELECT current_setting('server_version') AS version`);
      return rows[0].version;
    });
  }
}

/** The credential of a source that made its own. */
function authorizationOf({ username, password }: { username?: string; password?: string } = {}): string {
  return username === undefined
    ? `Bearer ${password}`
    : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function insertRecords(
  client: Client,
  rows: number,
  withLedger: boolean,
  accounts: number,
): Promise<Records> {
  const { rows: own } = await client.query('SELECT id FROM accounts WHERE name = $1', [ACCOUNT]);
  const { rows: others } = await client.query<{ id: number }>(
    `INSERT INTO accounts (name) SELECT 'other-' || number FROM generate_series(2, $1::integer) AS number RETURNING id`,
    [accounts],
  );
  const records = { accountId: own[0].id, rows: Math.floor(rows / accounts) };
  // Without the trigger of the foreign key, which would ask a million times for the one account.
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(
    insertRecordsSql(
      records,
      others.map(({ id }) => id),
    ),
  );
  if (withLedger) {
    await client.query(insertLedgerSql(records));
    await client.query(insertFeedSql(records));
  }
  await client.query('VACUUM (ANALYZE) suppressions, suppression_changes, feed_pages');
  return records;
}

/** Runs SQL between measurements. */
export async function execute(url: string, sql: string): Promise<void> {
  await withClient(url, (client) => client.query(sql));
}

/** Writes out what is dirty, so that no contender pays for another's writes. */
export async function checkpoint(url: string): Promise<void> {
  await execute(url, 'CHECKPOINT');
}

/** Octets on disk. */
export async function diskUse(url: string): Promise<DiskUse> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(`
      SELECT pg_table_size('suppressions')::float8          AS "recordTable",
             pg_indexes_size('suppressions')::float8        AS "recordIndexes",
             pg_table_size('suppression_changes')::float8   AS "ledgerTable",
             pg_indexes_size('suppression_changes')::float8 AS "ledgerIndexes"`);
    return rows[0];
  });
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
