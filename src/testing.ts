import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { AccountsService } from './accounts/accounts.service.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { SCOPES, type Scope } from './api-keys/scopes.js';
import { readEnv } from './config/env.js';
import type { AppEnv } from './app-env.js';
import { createApp } from './create-app.js';
import { migrate } from './database/migrate.js';
import { startTemporaryPostgres } from './database/embedded/temporary-postgres.js';
import { createLogger } from './process/logger.js';
import { SCHEMA } from './schema.js';

/** A running service for the tests of another project. */
export interface TestService {
  /** Such as `http://127.0.0.1:54321`. */
  url: string;
  /** An API key of the account `test`, with all scopes. */
  apiKey: string;
  /** Creates another API key. A new account has an empty list, which keeps tests apart. */
  createApiKey(account: string, scopes?: Scope[]): Promise<string>;
  /** Stops the service and its database, and deletes the data. */
  stop(): Promise<void>;
}

/**
 * Starts the service on a temporary embedded PostgreSQL and a free port. It takes some seconds.
 *
 * @param settings - like environment variables: `{ RATE_LIMIT: '100' }`
 */
export async function startSuppressionList(settings: Record<string, string> = {}): Promise<TestService> {
  const env = readEnv({
    LOG_LEVEL: 'silent',
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('hex'),
    ...settings,
  });
  const postgres = await startTemporaryPostgres();
  try {
    await migrate(postgres.url, SCHEMA);
    return await serve({ ...env, DATABASE_URL: postgres.url }, () => postgres.stop());
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function serve(env: AppEnv, stopPostgres: () => Promise<void>): Promise<TestService> {
  const app = await createApp(env, createLogger(env.LOG_LEVEL));
  try {
    await app.listen(env.PORT, env.HOST);
    const createApiKey = apiKeyMaker(app);
    return {
      url: await app.getUrl(),
      apiKey: await createApiKey('test'),
      createApiKey,
      stop: async () => {
        await app.close();
        await stopPostgres();
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

function apiKeyMaker(app: INestApplication): TestService['createApiKey'] {
  const accounts = app.get(AccountsService);
  const apiKeys = app.get(ApiKeysService);
  return async (name, scopes = [...SCOPES]) => {
    const account = await accounts.get(name).catch(() => accounts.create(name, true));
    return (await apiKeys.create(account, { name: 'test', scopes, expiresAt: null })).secret;
  };
}
