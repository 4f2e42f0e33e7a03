import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import type { Env } from '../config/env.js';
import { EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { isDatabaseUnavailable } from './is-database-unavailable.js';
import { DatabaseError, migrate } from './migrate.js';
import type { Schema } from './schema.js';

const PATIENCE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;
/** Wrong credentials or a missing database do not mend themselves. */
const WRONG_SETTING = /^(?:28|3D)/;

/** The database that the settings name: a server elsewhere, or our own. */
export interface OpenDatabase {
  url: string;
  embedded: boolean;
  close(): Promise<void>;
}

/**
 * Opens the database and brings it up to date.
 *
 * @param role - `service` for the one service of a data folder, `visitor` for a command
 * @param stopping - gives up the wait for a server elsewhere
 * @throws {DatabaseError} when the server cannot be reached within 30 seconds or cannot be used
 */
export async function openDatabase(
  env: Env,
  role: 'service' | 'visitor',
  schema: Schema,
  stopping?: AbortSignal,
): Promise<OpenDatabase> {
  if (env.DATABASE_URL) {
    await waitForServer(env.DATABASE_URL, role, stopping);
    if (env.MIGRATE_ON_START && role === 'service') {
      await migrateAndLog(env.DATABASE_URL, schema);
    }
    const url = env.DATABASE_URL;
    return {
      url,
      embedded: false,
      close: async () => undefined,
    };
  }
  const embedded = await EmbeddedPostgres.open(env.DATA_DIR, { role });
  try {
    await migrateAndLog(embedded.url, schema);
  } catch (error) {
    await embedded.close();
    throw error;
  }
  return {
    url: embedded.url,
    embedded: true,
    close: () => embedded.close(),
  };
}

async function waitForServer(
  connectionString: string,
  role: 'service' | 'visitor',
  stopping?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  let told = '';
  for (;;) {
    try {
      const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      const problem = message || code;
      if (!isDatabaseUnavailable(error) || WRONG_SETTING.test(code) || Date.now() > deadline) {
        throw new DatabaseError(`The database at DATABASE_URL cannot be used: ${problem}`);
      }
      if (problem !== told) {
        tellWaiting(role, `waiting for the database: ${problem}`);
        told = problem;
      }
    }
    await delay(RETRY_MS, undefined, { signal: stopping });
  }
}

/** A command has no log. */
function tellWaiting(role: 'service' | 'visitor', text: string): void {
  if (role === 'service') {
    new Logger('Database').warn(text);
  } else {
    console.error(text);
  }
}

async function migrateAndLog(url: string, schema: Schema): Promise<void> {
  for (const name of await migrate(url, schema)) {
    new Logger('Database').log(`migrated: ${name}`);
  }
}
