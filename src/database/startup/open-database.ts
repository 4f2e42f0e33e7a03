import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import type { Env } from '../../config/env.js';
import { UsageError } from '../../process/operator-error.js';
import { requireSpread, usesCitus } from '../citus/spread-database.js';
import { findLostSettings } from '../connections.js';
import { withMigrations } from '../data-source.js';
import { EmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { PostgresCluster } from '../embedded/postgres-cluster.js';
import { DatabaseError, forOperator } from '../errors.js';
import { Servers } from '../servers.js';
import { requireKnownHistory } from './known-history.js';
import { migrate, planMigrations } from './migrate.js';
import { requireUsablePooler } from './requirements.js';
import type { Schema } from './schema.js';

/** The database that the settings name: a server, or an embedded one. */
export interface OpenDatabase {
  /** Has several hosts if `DATABASE_URL` has. */
  url: string;
  /** Has the one host that currently accepts writes. */
  writableUrl: string;
  /** A description for people, without credentials. */
  description: string;
  embedded: boolean;
  close(): Promise<void>;
}

/** `service` for the one service of a data folder, `client` for a command. */
type Role = 'service' | 'client' | 'schema';

/**
 * Opens the database. The service brings it up to date, unless `MIGRATE_ON_START` is false.
 *
 * @param stopping - ends the wait for a server that is not reachable yet
 * @throws {DatabaseError} when the server is not reachable within 30 seconds or cannot be used
 * @throws {UsageError} when a client finds no embedded database
 */
export function openDatabase(
  env: Env,
  role: Role,
  schema: Schema,
  stopping?: AbortSignal,
): Promise<OpenDatabase> {
  return env.DATABASE_URL
    ? openServer(env.DATABASE_URL, env, role, schema, stopping).catch((error: unknown) => {
        throw forOperator(error);
      })
    : openEmbedded(env.DATA_DIR, role, schema, stopping);
}

async function openServer(
  url: string,
  { MIGRATE_ON_START, CITUS_EXPERIMENTAL, DATABASE_REPLICA_URL }: Env,
  role: Role,
  schema: Schema,
  stopping?: AbortSignal,
): Promise<OpenDatabase> {
  const writable = await waitForServer(new Servers(url), role, stopping);
  await requireUsablePooler(writable);
  const isOnCitus = await usesCitus(writable, CITUS_EXPERIMENTAL);
  await withMigrations(writable, schema, (dataSource) => requireKnownHistory(dataSource, schema));
  if (role === 'service') {
    await warnOfLostSettings(writable);
    await (MIGRATE_ON_START && !isOnCitus
      ? migrateAndLog(writable, schema, stopping)
      : requireMigrations(writable, schema, isOnCitus));
  }
  if (isOnCitus && role !== 'schema') {
    await requireSpread(url, writable, DATABASE_REPLICA_URL);
  }
  return {
    url,
    writableUrl: writable,
    description: describe(url),
    embedded: false,
    close: async () => undefined,
  };
}

async function openEmbedded(
  dataDir: string,
  role: Role,
  schema: Schema,
  stopping?: AbortSignal,
): Promise<OpenDatabase> {
  if (role !== 'service' && !(await PostgresCluster.exists(dataDir))) {
    throw new UsageError(
      `There is no database in ${resolve(dataDir)}. Set DATABASE_URL, or set DATA_DIR to the data folder of the ` +
        'service. To create a database there, start the service.',
    );
  }
  const embedded = await EmbeddedPostgres.open(dataDir, {
    role: role === 'service' ? role : 'client',
    stopping,
  });
  try {
    await withMigrations(embedded.url, schema, (dataSource) => requireKnownHistory(dataSource, schema));
    if (role === 'service') {
      await migrateAndLog(embedded.url, schema);
    }
  } catch (error) {
    await embedded.close();
    throw error;
  }
  const { url } = embedded;
  return {
    url,
    writableUrl: url,
    description: `embedded, in ${resolve(dataDir)}`,
    embedded: true,
    close: () => embedded.close(),
  };
}

async function migrateAndLog(url: string, schema: Schema, stopping?: AbortSignal): Promise<void> {
  const migrated = await migrate(url, schema, { stopping });
  if (migrated.length === schema.migrations.length) {
    new Logger('Database').log(`created the tables (${migrated.length} migrations)`);
  } else if (migrated.length > 0) {
    new Logger('Database').log(`upgraded the database: ${migrated.join(', ')}`);
  }
}

async function warnOfLostSettings(url: string): Promise<void> {
  const settings = await findLostSettings(url);
  if (settings.length > 0) {
    new Logger('Database').warn({
      msg:
        'the pooler at DATABASE_URL drops settings that statements need; give the role the settings that ' +
        'docs/operations.md lists',
      settings,
    });
  }
}

/**
 * For a database that the service does not migrate when it starts. Without Citus, it only warns: the instance is not ready then.
 *
 * @throws {DatabaseError} if migrations are missing on Citus
 */
async function requireMigrations(url: string, schema: Schema, isOnCitus: boolean): Promise<void> {
  const { length } = await planMigrations(url, schema);
  if (length > 0 && isOnCitus) {
    throw new DatabaseError(
      `The database at DATABASE_URL lacks migrations of this version (${length}). On Citus, the service does not run them at start. ` +
        'Run: suppressions migrate && suppressions database spread',
    );
  }
  if (length > 0) {
    new Logger('Database').warn(
      `the database lacks migrations of this version (${length}), so this instance is not ready. Run: npm run migrate`,
    );
  }
}

function describe(url: string): string {
  const clients = new Servers(url).urls.map((connectionString) => new Client({ connectionString }));
  return `${clients[0]!.database} on ${clients.map(({ host }) => host).join(', ')}`;
}

const MAX_WAIT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;
/** What messages of pg mean. The server, or something in front of it, may also accept the connection and stay silent. */
const MEANINGS: readonly [RegExp, string][] = [
  [
    /^timeout expired$/,
    'the server does not answer. Check that it runs, and that no firewall drops its packets',
  ],
  [/client password must be a/, 'the server requires a password, and the URL has none'],
];
/**
 * PostgreSQL: connection exceptions, out of resources, shutting down or starting, and read only. Node: no network or no name
 * yet.
 */
const STARTING =
  /^(?:08|53|55|57)...$|^25006$|^(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT)$/;
/** pg: the server closed the connection, or stays silent. */
const BROKEN = /^(?:Connection terminated|timeout expired)/;

/** @returns the connection string of the server that accepts writes */
async function waitForServer(servers: Servers, role: Role, stopping?: AbortSignal): Promise<string> {
  const deadline = Date.now() + MAX_WAIT_MS;
  let reported = '';
  for (;;) {
    try {
      const connectionString = await servers.findWritable();
      await requireAccepted(connectionString);
      return connectionString;
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      const meaning = MEANINGS.find(([pattern]) => pattern.test(message))?.[1];
      const problem = meaning ?? (message || code);
      if (!(STARTING.test(code) || BROKEN.test(message)) || Date.now() > deadline) {
        throw new DatabaseError(`The database at DATABASE_URL cannot be used: ${problem}`);
      }
      if (problem !== reported) {
        reportWaiting(role, `waiting for the database: ${problem}`);
        reported = problem;
      }
    }
    await delay(RETRY_MS, undefined, { signal: stopping });
  }
}

/** Ends the connection also if it fails: without a password, pg leaves it open, and a command would wait for it. */
async function requireAccepted(connectionString: string): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** A command has no log. */
function reportWaiting(role: Role, text: string): void {
  if (role === 'service') {
    new Logger('Database').warn(text);
  } else {
    console.error(text);
  }
}
