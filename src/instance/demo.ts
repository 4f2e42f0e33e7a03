import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Account } from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { CallersService } from '../api-keys/callers.service.js';
import { InvalidApiKeyError } from '../api-keys/errors.js';
import { DEFAULT_SCOPES } from '../api-keys/scopes.js';
import type { Actor } from '../audit/actor.js';
import type { Env } from '../config/env.js';
import { PeopleService } from '../console/people/people.service.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { listenAddressOf, localUrl } from '../http/server/listen-address.js';

const ACCOUNT = 'demo';
const START: Actor = { type: 'system', id: null, name: 'npm start' };
const ADMIN = 'demo@example.com' as EmailAddress;

const SUSPENDED = `
The account ${ACCOUNT} is suspended, so its API keys do not work. To admit it again:

npm run cli -- account admit ${ACCOUNT}
`;

/** Creates the account `demo` and its key if they are missing, and describes how to use them. */
export async function describeDemo(app: INestApplication, { DATA_DIR }: Env): Promise<string> {
  const { host, port } = listenAddressOf(app.getHttpServer());
  const url = localUrl(host, port);
  const account = await demoAccount(app.get(AccountsService));
  const where = `
The suppression list is running, with an embedded PostgreSQL in ${resolve(DATA_DIR)}.

API:        ${url}
Swagger UI: ${url}/docs
`;
  if (!account.betaAdmittedAt) {
    return where + SUSPENDED;
  }
  const key = await demoKey(app, account, join(DATA_DIR, 'demo-api-key'));
  return `${where}Console:    ${await signInUrl(app, account, url)}
            (works once, within 15 minutes; npm run cli -- console invite ${ADMIN} --account ${ACCOUNT} prints another)
Account:    ${ACCOUNT}
API key:    ${key}

Try it:

curl -X POST ${url}/suppressions/batch/add \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"emails": ["ada@example.com", "grace@example.com"]}'
`;
}

async function signInUrl(app: INestApplication, { id }: Account, url: string): Promise<string> {
  const { token } = await app
    .get(PeopleService)
    .invite({ accountId: id, actor: START, deadline: Infinity }, ADMIN, 'admin');
  return `${url}/console/sign-in/${token}`;
}

async function demoAccount(accounts: AccountsService): Promise<Account> {
  const existing = (await accounts.list()).find(({ name }) => name === ACCOUNT);
  return existing ?? accounts.create(START, ACCOUNT, true);
}

/** The key that the last start saved next to the data, or a new one if that key no longer works. */
async function demoKey(app: INestApplication, account: Account, file: string): Promise<string> {
  const saved = existsSync(file) && (await readFile(file, 'utf8'));
  if (saved && (await isAccepted(app.get(CallersService), saved))) {
    return saved;
  }
  const newKey = { name: ACCOUNT, scopes: [...DEFAULT_SCOPES], expiresAt: null };
  const { secret } = await app
    .get(ApiKeysService)
    .create({ accountId: account.id, actor: START, deadline: Infinity }, newKey);
  await writeFile(file, secret, { mode: 0o600 });
  return secret;
}

async function isAccepted(callers: CallersService, secret: string): Promise<boolean> {
  try {
    await callers.authenticate(secret);
    return true;
  } catch (error) {
    if (error instanceof InvalidApiKeyError) {
      return false;
    }
    throw error;
  }
}
