import type { Client } from 'pg';
import { QueryFailedError, type DataSource } from 'typeorm';
import { OperatorError } from '../process/operator-error.js';
import { MigratingClient, createMigrationDataSource } from './data-source.js';
import type { Schema } from './schema.js';

/** Held while migrations run, so that instances that start together migrate once. */
const MIGRATION_LOCK = 5_201_003;
/** Undefined table, undefined column. */
const NOT_MIGRATED = new Set(['42P01', '42703']);
const OLDEST_SERVER_VERSION = 150_000;

/** The database server cannot be used; the message says why. */
export class DatabaseError extends OperatorError {
  override readonly name = 'DatabaseError';
}

/**
 * Runs the migrations that the database does not have yet. Any number of instances may call it at once: one migrates,
 * the others wait for it and find nothing to do.
 *
 * @returns the names of the migrations that ran
 * @throws {DatabaseError} when the server is older than PostgreSQL 15, or the database is not in UTF-8
 */
export async function migrate(url: string, schema: Schema): Promise<string[]> {
  const lockHolder = new MigratingClient({ connectionString: url });
  await lockHolder.connect();
  try {
    await requireSupportedDatabase(lockHolder);
    await lockHolder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const dataSource = await createMigrationDataSource(url, schema).initialize();
    try {
      return (await dataSource.runMigrations()).map(({ name }) => name);
    } finally {
      await dataSource.destroy();
    }
  } finally {
    await lockHolder.end();
  }
}

/** How many migrations of this version the database lacks. */
export async function countPendingMigrations(dataSource: DataSource): Promise<number> {
  const names = dataSource.migrations.map((migration) => migration.constructor.name);
  try {
    const [row] = await dataSource.query<{ run: number }[]>(
      'SELECT count(*)::integer AS run FROM migrations WHERE name = ANY ($1)',
      [names],
    );
    return names.length - row!.run;
  } catch (error) {
    if (isNotMigrated(error)) {
      return names.length;
    }
    throw error;
  }
}

/** Whether an error says that the database lacks what a migration of this version makes. */
export function isNotMigrated(thrown: unknown): boolean {
  const error = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  return NOT_MIGRATED.has((error as { code?: string }).code ?? '');
}

async function requireSupportedDatabase(client: Client): Promise<void> {
  const { rows } = await client.query(`
    SELECT current_setting('server_version_num')::integer AS number,
      current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding
  `);
  if (rows[0].number < OLDEST_SERVER_VERSION) {
    throw new DatabaseError(
      `PostgreSQL ${rows[0].version} is too old: the service needs PostgreSQL 15 or newer.`,
    );
  }
  if (rows[0].encoding !== 'UTF8') {
    throw new DatabaseError(
      `The database has the encoding ${rows[0].encoding}, which lacks characters that addresses have. Create it with ENCODING 'UTF8'.`,
    );
  }
}
