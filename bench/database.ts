import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import type { EventSource, EventSources } from './load/job.js';
import { runCli } from './processes.js';
import { insertFeedSql, insertLedgerSql, insertRecordsSql, type Records } from './records.js';

/** Memory as on a small database server; no setting trades safety for speed. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '8GB', max_connections: '100' };
const ACCOUNT = 'bench';

/** A database with records, and the API key and sources of their account. */
export interface LoadedDatabase {
  url: string;
  records: Records;
  apiKey: string;
  sources: EventSources;
}

/** The version of the server, and bytes of tables with their indexes. */
export interface DatabaseSize {
  version: string;
  records: number;
  recordIndexes: number;
  ledger: number;
}

/** A PostgreSQL server in a temporary folder. */
export class TemporaryServer {
  private constructor(
    readonly folder: string,
    private readonly postgres: EmbeddedPostgres,
  ) {}

  static async start(): Promise<TemporaryServer> {
    const folder = await mkdtemp(join(tmpdir(), 'suppression-list-bench-'));
    try {
      const postgres = await EmbeddedPostgres.open(folder, { role: 'client', settings: SETTINGS });
      return new TemporaryServer(folder, postgres);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.postgres.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Creates a database with records, and with their lines in the ledger if requested. */
  async load(name: string, rows: number, { withLedger }: { withLedger: boolean }): Promise<LoadedDatabase> {
    await execute(this.postgres.url, `CREATE DATABASE ${name}`);
    const { href: url } = Object.assign(new URL(this.postgres.url), { pathname: `/${name}` });
    const settings = { DATABASE_URL: url };
    await runCli(this.folder, settings, 'migrate');
    await runCli(this.folder, settings, 'account', 'create', ACCOUNT, '--beta');
    const created = await runCli(this.folder, settings, 'key', 'create', '--account', ACCOUNT, '--json');
    const records = await insertRecords(url, rows, withLedger);
    const sources = {
      plain: await this.createSource({ url }, 'sparkpost'),
      limited: await this.createSource({ url }, 'sparkpost', '--soft-limit', '5/14d'),
    };
    return { url, records, apiKey: JSON.parse(created).key, sources };
  }

  async createSource(
    database: { url: string },
    provider: string,
    ...options: string[]
  ): Promise<EventSource> {
    const args = ['source', 'create', '--account', ACCOUNT, '--provider', provider, '--json', ...options];
    const settings = { DATABASE_URL: database.url };
    const { id, url, secrets = {} } = JSON.parse(await runCli(this.folder, settings, ...args));
    const { username, password } = secrets;
    const authorization =
      username === undefined
        ? `Bearer ${password}`
        : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    return { id, path: new URL(url).pathname, authorization };
  }
}

async function insertRecords(url: string, rows: number, withLedger: boolean): Promise<Records> {
  const [account] = await execute<{ id: number }>(url, `SELECT id FROM accounts WHERE name = '${ACCOUNT}'`);
  const records = { accountId: account!.id, rows };
  const ledger = withLedger ? [insertLedgerSql(records), insertFeedSql(records)] : [];
  // The trigger of the foreign key would look up the account a million times.
  const statements = [`SET session_replication_role = 'replica'`, insertRecordsSql(records), ...ledger];
  await execute(url, statements.join(';'));
  await execute(url, 'VACUUM (ANALYZE) suppressions, suppression_changes, feed_pages');
  return records;
}

export async function readSize(url: string): Promise<DatabaseSize> {
  const [row] = await execute<DatabaseSize>(
    url,
    `SELECT
      current_setting('server_version') AS version,
      pg_total_relation_size('suppressions')::float8 AS records,
      pg_indexes_size('suppressions')::float8 AS "recordIndexes",
      pg_total_relation_size('suppression_changes')::float8 AS ledger`,
  );
  return row!;
}

/** @returns the rows of the last statement */
export async function execute<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const results = [await client.query(sql)].flat();
    return results.at(-1)!.rows;
  } finally {
    await client.end();
  }
}
