import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountsService } from './accounts/accounts.service.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { SCOPES, type Scope } from './api-keys/scopes.js';
import { readEnv } from './config/env.js';
import { createApp } from './create-app.js';
import { EmbeddedPostgres } from './database/embedded-postgres.js';
import { migrate } from './database/migrate.js';
import { createLogger } from './logger.js';

/** A running service for the tests of another project. */
export interface TestService {
  /** Where it listens, as `http://127.0.0.1:54321`. */
  url: string;
  /** A key of the account `test`, with every scope. */
  apiKey: string;
  /** Makes another key. A new account has an empty list: the way to keep tests apart. */
  createApiKey(account: string, scopes?: Scope[]): Promise<string>;
  /** Stops the service and its database, and deletes the data. */
  stop(): Promise<void>;
}

/** A PostgreSQL of our own in a temporary folder, without the care for power failures that tests do not need. */
export interface TemporaryPostgres {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts the real service, on an embedded PostgreSQL and a free port.
 *
 * @param settings - as environment variables, such as `{ RATE_LIMIT: '100' }`
 */
export async function startSuppressionList(settings: Record<string, string> = {}): Promise<TestService> {
  const env = readEnv({
    LOG_LEVEL: 'silent',
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('hex'),
    ...settings,
  });
  const postgres = await startTemporaryPostgres();
  await migrate(postgres.url);
  const app = await createApp({ ...env, DATABASE_URL: postgres.url }, createLogger(env.LOG_LEVEL));
  await app.listen(env.PORT, env.HOST);

  const accounts = app.get(AccountsService);
  const apiKeys = app.get(ApiKeysService);
  const createApiKey = async (name: string, scopes: Scope[] = [...SCOPES]) => {
    const account = await accounts.get(name).catch(() => accounts.create(name, true));
    return (await apiKeys.create(account, { name: 'test', scopes, expiresAt: null })).secret;
  };
  return {
    url: await app.getUrl(),
    apiKey: await createApiKey('test'),
    createApiKey,
    stop: async () => {
      await app.close();
      await postgres.stop();
    },
  };
}

/** Starts a PostgreSQL that is gone with its data when it is stopped. */
export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'suppression-list-'));
  await chmod(dataDir, 0o711);
  const postgres = await EmbeddedPostgres.open(dataDir, {
    role: 'visitor',
    settings: { fsync: 'off', max_connections: '300' },
  });
  const undertaker = startUndertaker(dataDir);
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.close();
      await rm(dataDir, { recursive: true, force: true });
      undertaker.kill();
    },
  };
}

/** A run of tests that is interrupted leaves no PostgreSQL behind: a shell waits for our end, then stops it. */
function startUndertaker(dataDir: string): ChildProcess {
  const script = 'cat > /dev/null; kill -QUIT "$(head -n 1 "$0/postgres/postmaster.pid")"; rm -rf "$0"';
  const shell = spawn('sh', ['-c', script, dataDir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.unref();
  (shell.stdin as Socket).unref();
  return shell;
}
