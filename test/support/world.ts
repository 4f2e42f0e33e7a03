import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import request, { type Agent, type Response, type Test } from 'supertest';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import type { Account } from '../../src/accounts/account.entity.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { SCOPES, type Scope } from '../../src/api-keys/scopes.js';
import { startTestApp, type ModuleOf, type TestApp } from './test-app.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { OPERATOR } from './operator.js';

/** The service on a fresh database, with the people who use it. */
export interface World extends TestApp {
  database: TestDatabase;
  acme: Account;
  globex: Account;
  /** Of the account `acme`, with every scope. */
  alice: string;
  /** Of the account `acme`, for reading only. */
  bob: string;
  /** Of the account `globex`, with every scope. */
  charlie: string;
  /** A request with a key: `as(alice).get('/suppressions/…')`. */
  as(apiKey: string): Agent;
  /** A request without a key. */
  anyone: Agent;
}

export async function createWorld(
  settings: Record<string, string> = {},
  moduleOf?: ModuleOf,
): Promise<World> {
  const database = await createTestDatabase();
  const testApp = await startTestApp(database.url, settings, moduleOf);
  const connections = new http.Agent({ keepAlive: true });
  const agent = () => request.agent(testApp.url).use((sent: Test) => sent.agent(connections)) as Agent;
  return {
    ...testApp,
    ...(await createAccounts(testApp, ['acme', 'globex'])),
    database,
    as: (apiKey) => agent().set('Authorization', `Bearer ${apiKey}`) as Agent,
    anyone: agent(),
    close: async () => {
      connections.destroy();
      await testApp.close();
      await database.drop();
    },
  };
}

/** The same service with new accounts, for the next test: a fresh world takes a third of a second of CPU time. */
export async function withNewAccounts(world: World): Promise<World> {
  return { ...world, ...(await createAccounts(world, [`acme-${randomUUID()}`, `globex-${randomUUID()}`])) };
}

async function createAccounts({ app }: TestApp, [acmeName, globexName]: [string, string]) {
  const accounts = app.get(AccountsService);
  const apiKeys = app.get(ApiKeysService);
  const acme = await accounts.create(OPERATOR, acmeName, true);
  const globex = await accounts.create(OPERATOR, globexName, true);
  const keyOf = async (account: Account, name: string, scopes: Scope[]) =>
    (
      await apiKeys.create(
        { accountId: account.id, actor: OPERATOR, deadline: Infinity },
        { name, scopes, expiresAt: null },
      )
    ).secret;
  return {
    acme,
    globex,
    alice: await keyOf(acme, 'alice', [...SCOPES]),
    bob: await keyOf(acme, 'bob', ['suppressions:read']),
    charlie: await keyOf(globex, 'charlie', [...SCOPES]),
  };
}

/** A key named `alice` of an account, which is created if it does not exist. Without a name, the account is a new one. */
export async function createKey(
  { app }: World,
  scopes: Scope[] = [...SCOPES],
  name = `account-${randomUUID()}`,
): Promise<string> {
  const accounts = app.get(AccountsService);
  const account = await accounts.get(name).catch(() => accounts.create(OPERATOR, name, true));
  return (
    await app
      .get(ApiKeysService)
      .create(
        { accountId: account.id, actor: OPERATOR, deadline: Infinity },
        { name: 'alice', scopes, expiresAt: null },
      )
  ).secret;
}

/** Sends a request again while the service is unavailable, which it may be on a busy machine. */
export async function sendPatiently(send: () => PromiseLike<Response>): Promise<Response> {
  let response = await send();
  while (response.status === 503) {
    await delay(100);
    response = await send();
  }
  return response;
}

/** Suppresses addresses as the holder of a key, and returns their ids. */
export async function suppress(world: World, apiKey: string, emails: string[]): Promise<string[]> {
  const { status, body } = await sendPatiently(() =>
    world.as(apiKey).post('/suppressions/batch/add').send({ emails }),
  );
  expect(status).toBe(201);
  return body.data.map(({ id }: { id: string }) => id);
}

/** Gives a record another cause, as events of a provider do. */
export async function setCause(
  world: World,
  id: string,
  cause: string,
  emailId: string | null,
): Promise<void> {
  await world.database.query(
    'UPDATE suppressions SET cause = $2::suppression_cause, weaker_causes = 0, email_id = $3 WHERE id = $1',
    [id, cause, emailId],
  );
}
