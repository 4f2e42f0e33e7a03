import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { INestApplication } from '@nestjs/common';
import 'reflect-metadata';
import type { Account } from './accounts/account.entity.js';
import { AccountNameTakenError, AccountsService } from './accounts/accounts.service.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { DEFAULT_SCOPES, SCOPES, type Scope } from './api-keys/scopes.js';
import type { AppEnv } from './app-env.js';
import type { Actor } from './audit/actor.js';
import { readEnv } from './config/read-env.js';
import { createApp } from './create-app.js';
import { createTemporaryDatabase, startTemporaryPostgres } from './database/embedded/temporary-postgres.js';
import { migrate } from './database/startup/migrate.js';
import { createLogger } from './process/logger.js';
import { SCHEMA } from './schema.js';

/** A running service for the tests of another project. */
export interface TestService {
  /** Such as `http://127.0.0.1:54321`. */
  url: string;
  /** An API key of the account `test`, with all scopes but `contacts:erase`. */
  apiKey: string;
  /**
   * Environment variables for the processes that run test files: the location of the service, and the settings of the client.
   */
  env: Record<
    | 'SUPPRESSIONS_URL'
    | 'SUPPRESSIONS_API_KEY'
    | 'SUPPRESSION_LIST_KEYS_URL'
    // The names of the first two in version 0.2.0.
    | 'SUPPRESSION_LIST_URL'
    | 'SUPPRESSION_LIST_API_KEY',
    string
  >;
  /**
   * Creates another API key. A new account has an empty list, which keeps tests apart.
   *
   * @param scopes - by default, all but `contacts:erase`
   * @throws {Error} if a scope is unknown
   */
  createApiKey(account: string, scopes?: string[]): Promise<string>;
  /** Stops the service and deletes its data. */
  stop(): Promise<void>;
}

type Settings = Record<string, string | number | boolean | undefined>;

/**
 * Starts the service on a free port. It takes some seconds.
 *
 * @param settings - like environment variables: `{ RATE_LIMIT: '100' }`. On the server at `DATABASE_URL`, it uses a
 *   temporary database; without it, a temporary embedded PostgreSQL.
 */
export async function startSuppressionList(settings: Settings = {}): Promise<TestService> {
  const env = readEnv({
    LOG_LEVEL: 'silent',
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('hex'),
    ...settings,
  });
  const database = await (env.DATABASE_URL
    ? createTemporaryDatabase(env.DATABASE_URL)
    : startTemporaryPostgres());
  try {
    await migrate(database.url, SCHEMA);
    return await serve({ ...env, DATABASE_URL: database.url }, () => database.stop());
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function serve(env: AppEnv, stopDatabase: () => Promise<void>): Promise<TestService> {
  const app = await createApp(env, createLogger(env.LOG_LEVEL));
  try {
    await app.listen(env.PORT, env.HOST);
    const createApiKey = apiKeyCreator(app);
    const keys = await serveApiKeys(createApiKey);
    const url = await app.getUrl();
    const apiKey = await createApiKey('test');
    return {
      url,
      apiKey,
      env: {
        SUPPRESSIONS_URL: url,
        SUPPRESSIONS_API_KEY: apiKey,
        SUPPRESSION_LIST_URL: url,
        SUPPRESSION_LIST_API_KEY: apiKey,
        SUPPRESSION_LIST_KEYS_URL: keys.url,
      },
      createApiKey,
      stop: async () => {
        keys.close();
        closeServer(app.getHttpServer());
        await app.close();
        await stopDatabase();
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

const TESTS: Actor = { type: 'system', id: null, name: 'testing' };

function apiKeyCreator(app: INestApplication): TestService['createApiKey'] {
  const accounts = app.get(AccountsService);
  const apiKeys = app.get(ApiKeysService);
  return async (name, scopes = [...DEFAULT_SCOPES]) => {
    requireName(name);
    requireScopes(scopes);
    const account = await getOrCreate(accounts, name);
    const key = { name: 'test', scopes, expiresAt: null };
    return (await apiKeys.create({ accountId: account.id, actor: TESTS, deadline: Infinity }, key)).secret;
  };
}

function requireName(account: unknown): void {
  if (typeof account !== 'string') {
    throw new Error('createApiKey needs the name of an account.');
  }
}

function requireScopes(scopes: unknown): asserts scopes is Scope[] {
  const unknown = Array.isArray(scopes) ? scopes.filter((scope) => !SCOPES.includes(scope)) : [scopes];
  if (unknown.length > 0) {
    throw new Error(`Unknown scopes: ${unknown.join(', ')}. The scopes are ${SCOPES.join(', ')}.`);
  }
  if ((scopes as unknown[]).length === 0) {
    throw new Error(
      'createApiKey needs a scope. Without an array of scopes, the key has all but contacts:erase.',
    );
  }
}

/** Test files that run at the same time may need the same new account. */
async function getOrCreate(accounts: AccountsService, name: string): Promise<Account> {
  try {
    return await accounts.create(TESTS, name, true);
  } catch (error) {
    if (error instanceof AccountNameTakenError) {
      return accounts.get(name);
    }
    throw error;
  }
}

interface ApiKeysServer {
  url: string;
  close(): void;
}

/** Lets test files create API keys over HTTP, since they do not run in the process of the service. */
async function serveApiKeys(
  createApiKey: (account: string, scopes?: string[]) => Promise<string>,
): Promise<ApiKeysServer> {
  const server = createServer(async (request, response) => {
    try {
      const { account, scopes } = (await json(request)) as { account: string; scopes?: string[] };
      response.end(await createApiKey(account, scopes));
    } catch (error) {
      response.writeHead(400).end((error as Error).message);
    }
  });
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => closeServer(server),
  };
}

/** Node.js would wait a minute for a connection that never sent a request, which browsers open. */
function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}
