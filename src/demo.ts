import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { AccountsService } from './accounts/accounts.service.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { SCOPES } from './api-keys/scopes.js';
import type { Env } from './config/env.js';

const ACCOUNT = 'demo';

/** Makes the account `demo` and its key where they are missing, and tells a newcomer how to use them. */
export async function describeDemo(app: INestApplication, { DATA_DIR }: Env): Promise<string> {
  const key = await demoKey(app, join(DATA_DIR, 'demo-api-key'));
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1').replace('0.0.0.0', '127.0.0.1');
  return `
The suppression list is running, on a PostgreSQL of its own.

API:        ${url}
Swagger UI: ${url}/docs
API key: ${key}

Try it:

curl -X POST ${url}/suppressions/batch/add \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"emails": ["ada@example.com", "grace@example.com"]}'
`;
}

/** The key of the last start, kept in a file beside the data, while it works; else a new one. */
async function demoKey(app: INestApplication, file: string): Promise<string> {
  const accounts = app.get(AccountsService);
  const apiKeys = app.get(ApiKeysService);
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept && (await apiKeys.authenticate(kept).catch(() => undefined))) {
    return kept;
  }
  const account = await accounts.get(ACCOUNT).catch(() => accounts.create(ACCOUNT, true));
  const { secret } = await apiKeys.create(account, { name: ACCOUNT, scopes: [...SCOPES], expiresAt: null });
  await writeFile(file, secret, { mode: 0o600 });
  return secret;
}
