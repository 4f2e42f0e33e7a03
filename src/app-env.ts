import type { Env } from './config/env.js';
import type { OpenDatabase } from './database/startup/open-database.js';
import { readOrCreateSecretsKey } from './secrets/secrets-key.js';

/** The settings, once the database is open. */
export type AppEnv = Env & { DATABASE_URL: string };

/** Adds the URL of the database, and the key of the data folder unless `SECRETS_KEY` is set. */
export async function toAppEnv(env: Env, database: OpenDatabase): Promise<AppEnv> {
  const SECRETS_KEY =
    env.SECRETS_KEY ?? (database.embedded ? await readOrCreateSecretsKey(env.DATA_DIR) : undefined);
  return { ...env, DATABASE_URL: database.url, ...(SECRETS_KEY !== undefined && { SECRETS_KEY }) };
}
