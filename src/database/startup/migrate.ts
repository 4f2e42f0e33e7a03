import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { QueryFailedError, type DataSource } from 'typeorm';
import { messageFor } from '../../process/operator-error.js';
import { withMigrationClient } from '../connections.js';
import { withMigrations } from '../data-source.js';
import { DatabaseError } from '../errors.js';
import { createChecksums, statementsOf } from './checksums.js';
import { requireKnownHistory } from './known-history.js';
import { requireSupportedDatabase } from './requirements.js';
import { compareSchema, type Schema } from './schema.js';

/** Held while migrations run, so that only one of several starting instances runs them. */
const MIGRATION_LOCK = 5_201_003;
const LOCK_POLL_MS = 100;
/** A migration that waits for a lock blocks all later statements, so it soon gives up and retries. */
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';
const RETRY_MS = 1_000;
/**
 * Half a minute if each attempt waits two seconds for a lock. The limit is not a time, because an attempt may work for hours.
 */
const MAX_ATTEMPTS = 10;

export interface PlannedMigration {
  name: string;
  statements: string[];
}

export interface WaitOptions {
  /** Called with a description of what the migration waits for. By default, this is logged. */
  report?: (text: string) => void;
  /** Ends the wait. */
  stopping?: AbortSignal | undefined;
}

const warn = (text: string): void => new Logger('Database').warn(text);

/**
 * Runs the pending migrations. Any number of instances may call it at once: one of them migrates, and the others wait for it.
 *
 * @param wait - how to wait for another instance, or for a table
 * @returns the names of the migrations that ran
 * @throws {DatabaseError} when the server is older than PostgreSQL 15, the database is not in UTF-8 or ran other migrations, or a
 *   migration failed or could not get its locks in ten attempts
 */
export function migrate(url: string, schema: Schema, wait: WaitOptions = {}): Promise<string[]> {
  return withMigrationClient({ connectionString: url }, async (lockHolder) => {
    await requireSupportedDatabase(lockHolder);
    await lockMigrations(lockHolder, wait);
    const fail = () => {
      throw new DatabaseError(
        'The connection that keeps other instances from migrating broke. Migrate again.',
      );
    };
    const lost = once(lockHolder, 'end').then(fail, fail);
    const migrated = withMigrations(url, schema, async (dataSource) => {
      await createChecksums(dataSource, await requireKnownHistory(dataSource, schema));
      return runMigrations(dataSource, url, schema, wait);
    });
    return Promise.race([migrated, lost]);
  });
}

/** The migrations that {@link migrate} would run, with their SQL. */
export function planMigrations(url: string, schema: Schema): Promise<PlannedMigration[]> {
  return withMigrations(url, schema, async (dataSource) => {
    const { pending } = await compareSchema(dataSource);
    const migrations = schema.migrations.filter(({ name }) => pending.includes(name));
    return Promise.all(
      migrations.map(async (migration) => ({
        name: migration.name,
        statements: await statementsOf(migration),
      })),
    );
  });
}

/**
 * Takes a lock until the end of the transaction, since a pooler in transaction mode keeps no session. It holds no snapshot,
 * because CREATE INDEX CONCURRENTLY waits for all of them. So it polls, since a statement that waits for a lock holds a
 * snapshot, and it sends no parameters, since they open a portal, which keeps its snapshot until the transaction ends.
 */
async function lockMigrations(client: Client, { report = warn, stopping }: WaitOptions): Promise<void> {
  for (let isReported = false; ; isReported = true) {
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`);
    if (rows[0].locked) {
      return;
    }
    await client.query('ROLLBACK');
    if (!isReported) {
      report('waiting for another instance, which runs migrations');
    }
    await delay(LOCK_POLL_MS, undefined, { signal: stopping });
  }
}

/** Each migration is a transaction or can be repeated, so a retry continues with the one that failed. */
async function runMigrations(
  dataSource: DataSource,
  url: string,
  schema: Schema,
  { report = warn, stopping }: WaitOptions,
): Promise<string[]> {
  const { pending } = await compareSchema(dataSource);
  for (let attempt = 1; ; attempt++) {
    try {
      await dataSource.runMigrations();
      return pending;
    } catch (error) {
      if (!(error instanceof QueryFailedError) || messageFor(error.driverError)) {
        throw error;
      }
      const { code } = error.driverError as { code?: string };
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) {
        new Logger('Database').debug(error.stack);
        throw await describeFailure(url, schema, pending, error);
      }
      if (attempt === MAX_ATTEMPTS) {
        throw new DatabaseError(
          'A migration could not lock a table that other statements use. Look for long statements in pg_stat_activity, ' +
            'and migrate again.',
        );
      }
      report('a migration is waiting for a table that other statements use');
    }
    await delay(RETRY_MS, undefined, { signal: stopping });
  }
}

/**
 * Describes which migration failed, why, and the current state of the database.
 *
 * @param planned - names of the migrations that were to run, in their order
 */
async function describeFailure(
  url: string,
  schema: Schema,
  planned: string[],
  { driverError: { message } }: QueryFailedError,
): Promise<DatabaseError> {
  // This uses another connection, because TypeORM does not always return one on which it has failed.
  const plan = await planMigrations(url, schema).catch(() => undefined);
  if (!plan) {
    return new DatabaseError(`A migration failed: ${message}. Migrate again: those that are done stay done.`);
  }
  const pending = plan.map(({ name }) => name);
  const [failed] = pending;
  const done = planned.filter((name) => !pending.includes(name));
  const isWhole = !schema.migrations.some(
    (Migration) => Migration.name === failed && new Migration().transaction === false,
  );
  return new DatabaseError(
    `The migration ${failed} failed${isWhole ? ' and changed nothing' : ', and may have changed a part'}: ${message}. ` +
      (done.length > 0 ? `Done before it: ${done.join(', ')}. ` : 'No other migration ran. ') +
      'Correct the cause, and migrate again.',
  );
}
