import type { DynamicModule } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Writable } from 'node:stream';
import type { AppEnv } from '../../src/app-env.js';
import { readEnv } from '../../src/config/read-env.js';
import { createApp } from '../../src/create-app.js';
import { requireSpread } from '../../src/database/citus/spread-database.js';
import { createLogger } from '../../src/process/logger.js';

import { isOnCitus } from './citus-settings.js';

export const TEST_SECRETS_KEY = 'a5'.repeat(32);

export interface TestApp {
  app: NestExpressApplication;
  /** Where it listens, as `http://127.0.0.1:<port>`. */
  url: string;
  /** Every log line so far. */
  logLines(): Record<string, unknown>[];
  close(): Promise<void>;
}

export type ModuleOf = (env: AppEnv) => DynamicModule;

/**
 * Starts the real service on a free port, as `main.ts` does.
 *
 * @param moduleOf - the service with more routes
 */
export async function startTestApp(
  databaseUrl: string,
  settings: Record<string, string> = {},
  moduleOf?: ModuleOf,
): Promise<TestApp> {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const env = readEnv({ DATABASE_URL: databaseUrl, SECRETS_KEY: TEST_SECRETS_KEY, ...settings });
  const appEnv = { ...env, DATABASE_URL: databaseUrl };
  if (isOnCitus) {
    await requireSpread(databaseUrl, databaseUrl);
  }
  const app = await createApp(appEnv, createLogger('info', destination), moduleOf?.(appEnv));
  await app.listen(0, '127.0.0.1');
  return {
    app,
    url: await app.getUrl(),
    logLines: () => lines.map((line) => JSON.parse(line)),
    close: () => app.close(),
  };
}
