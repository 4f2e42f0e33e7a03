import { setTimeout as delay } from 'node:timers/promises';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { SuppressionsService } from '../../src/suppressions/suppressions.service.js';
import { WebhooksService } from '../../src/webhooks/webhooks.service.js';
import { listen, type Endpoint } from '../support/endpoint.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, type World } from '../support/world.js';

const ENDPOINTS = 200;
const HANGING = 10;
const SECONDS = 4;
const CHANGES_PER_SECOND = 1_000;
/** Attempts at endpoints that hang end after 15 seconds. */
const PATIENCE_MS = 12_000;

const ACTOR = { type: 'system', id: null, name: 'test' } as const;

describe('webhooks whose endpoints hang', () => {
  let world: World;
  let endpoint: Endpoint;
  beforeAll(async () => {
    world = await createWorld(LOOPBACK);
    endpoint = await listen();
  });
  afterAll(async () => {
    await endpoint.close();
    await world.close();
  });

  it('do not delay others: 200 endpoints, 10 of which hang, at 1,000 changes a second', async () => {
    const accountIds: number[] = [];
    for (let number = 0; number < ENDPOINTS; number++) {
      const { id } = await world.app.get(AccountsService).create(`account-${number}`, true);
      const webhook = { endpoint: `${endpoint.url}${number}`, events: ['suppression.added' as const] };
      await world.app.get(WebhooksService).create(id, webhook, performance.now() + 5_000);
      accountIds.push(id);
    }
    endpoint.respond = (response, { url }) => {
      if (Number(url.slice(1)) >= HANGING) {
        response.end();
      }
    };

    const added: Promise<unknown>[] = [];
    const start = performance.now();
    for (let change = 0; change < SECONDS * CHANGES_PER_SECOND; change += ENDPOINTS) {
      await delay(Math.max(0, start + change - performance.now()));
      added.push(...accountIds.map((accountId) => add(accountId, `user${change}@example.com`)));
    }
    await Promise.all(added);

    const expected = (SECONDS * CHANGES_PER_SECOND * (ENDPOINTS - HANGING)) / ENDPOINTS;
    const fromWorking = () => endpoint.received.filter(({ url }) => Number(url.slice(1)) >= HANGING);
    await until(() => fromWorking().length >= expected, PATIENCE_MS);
    expect(endpoint.received.length - fromWorking().length).toBeLessThanOrEqual(HANGING);
  }, 60_000);

  function add(accountId: number, email: string): Promise<unknown> {
    const entry = { note: null, expiresAt: null };
    const deadline = performance.now() + 10_000;
    return world.app.get(SuppressionsService).add(accountId, ACTOR, email as EmailAddress, entry, deadline);
  }
});
