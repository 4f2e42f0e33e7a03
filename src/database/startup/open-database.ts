import { resolve } from 'node:path';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import type { Env } from '../../config/env.js';
import { EXIT_CODE } from '../../process/operator-error.js';
import { withMigrations } from '../data-source.js';
import { EmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { DatabaseError } from '../errors.js';
import { requireSpread, usesCitus } from '../citus/spread-database.js';
import { Servers } from '../servers.js';
import { requireKnownHistory } from './known-history.js';
import { migrate, planMigrations } from './migrate.js';
import { requireUsablePooler } from './pooler.js';
import type { Schema } from './schema.js';
import { waitForServer, type Role } from './wait-for-server.js';

/** The database that the settings name: a server, or an embedded one. */
export interface OpenDatabase {
  /** Names several hosts where `DATABASE_URL` does. */
  url: string;
  /** Names the one host that accepts writes now. */
  writableUrl: string;
  /** For people, without credentials. */
  description: string;
  embedded: boolean;
  close(): Promise<void>;
}

/** There is no embedded database yet, and a command does not create one. */
export class NoDatabaseError extends DatabaseError {
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor(dataDir: string) {
    super(
      `There is no database in ${resolve(dataDir)}. Set DATABASE_URL, or set DATA_DIR to the data folder of the ` +
        'service. To create a database there, start the service.',
    );
  }
}

/**
 * Opens the database. The service brings it up to date, unless `MIGRATE_ON_START` is false.
 *
 * @param stopping - ends the wait for a server that is not reachable yet
 * @throws {DatabaseError} when the server is not reachable within 30 seconds or cannot be used
 * @throws {NoDatabaseError} when a client finds no embedded database
 */
export function openDatabase(
  env: Env,
  role: Role,
  schema: Schema,
  stopping?: AbortSignal,
): Promise<OpenDatabase> {
  return env.DATABASE_URL
    ? openServer(env.DATABASE_URL, env, role, schema, stopping)
    : openEmbedded(env.DATA_DIR, role, schema);
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
    await (isOnCitus
      ? refuseIfPending(writable, schema)
      : MIGRATE_ON_START
        ? migrateAndLog(writable, schema, stopping)
        : warnIfPending(writable, schema));
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

async function openEmbedded(dataDir: string, role: Role, schema: Schema): Promise<OpenDatabase> {
  if (role !== 'service' && !(await EmbeddedPostgres.exists(dataDir))) {
    throw new NoDatabaseError(dataDir);
  }
  const embedded = await EmbeddedPostgres.open(dataDir, { role: role === 'service' ? role : 'client' });
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

async function warnIfPending(url: string, schema: Schema): Promise<void> {
  const { length } = await planMigrations(url, schema);
  if (length > 0) {
    new Logger('Database').warn(
      `the database lacks migrations of this version (${length}), so this instance is not ready. Run: npm run migrate`,
    );
  }
}

async function refuseIfPending(url: string, schema: Schema): Promise<void> {
  const { length } = await planMigrations(url, schema);
  if (length > 0) {
    throw new DatabaseError(
      `The database at DATABASE_URL lacks migrations of this version (${length}). On Citus, the service does not run them at start. ` +
        'Run: suppressions migrate && suppressions database spread',
    );
  }
}

function describe(url: string): string {
  const clients = new Servers(url).urls.map((connectionString) => new Client({ connectionString }));
  return `${clients[0]!.database} on ${clients.map(({ host }) => host).join(', ')}`;
}
