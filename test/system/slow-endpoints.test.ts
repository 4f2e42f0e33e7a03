import { setTimeout as delay } from 'node:timers/promises';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { AdditionsService } from '../../src/suppressions/additions/additions.service.js';
import { WebhooksService } from '../../src/webhooks/webhooks.service.js';
import { listen, type Endpoint, type ReceivedEvent } from '../support/servers/endpoint.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, type World } from '../support/world.js';
import { OPERATOR } from '../support/operator.js';

const ENDPOINTS = 200;
const HANGING = 10;
const SECONDS = 1;
/** In each step, a fifth of the accounts make five changes each: 1,000 a second. */
const STEPS_PER_SECOND = 5;
const BATCH = 5;

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
      const { id } = await world.app.get(AccountsService).create(OPERATOR, `account-${number}`, true);
      const webhook = { endpoint: `${endpoint.url}${number}`, events: ['suppression.added' as const] };
      await world.app
        .get(WebhooksService)
        .create({ accountId: id, actor: OPERATOR, deadline: performance.now() + 5_000 }, webhook);
      accountIds.push(id);
    }
    endpoint.respond = (response, { url }) => {
      if (Number(url.slice(1)) >= HANGING) {
        response.end();
      }
    };

    const start = performance.now();
    for (let step = 0; step < SECONDS * STEPS_PER_SECOND; step++) {
      await delay(Math.max(0, start + (step * 1_000) / STEPS_PER_SECOND - performance.now()));
      const turn = accountIds.filter((_id, index) => index % STEPS_PER_SECOND === step % STEPS_PER_SECOND);
      await Promise.all(turn.map((accountId) => addBatch(accountId, step)));
    }

    const expected = SECONDS * BATCH * (ENDPOINTS - HANGING);
    const isWorking = ({ url }: ReceivedEvent) => Number(url.slice(1)) >= HANGING;
    const count = () => endpoint.received.filter(isWorking).length;
    for (let received = count(); received < expected; received = count()) {
      await until(() => count() > received);
    }
    const hanging = endpoint.received.filter((event) => !isWorking(event));
    expect(new Set(hanging.map(({ url }) => url)).size).toBe(HANGING);
    expect(new Set(hanging.map(({ url, id }) => `${url} ${id}`)).size).toBe(HANGING);
  });

  function addBatch(accountId: number, step: number): Promise<unknown> {
    const emails = Array.from({ length: BATCH }, (_, index) => `user${step}-${index}@example.com`);
    const entry = { note: null, expiresAt: null };
    return world.app
      .get(AdditionsService)
      .batchAdd(
        { accountId, actor: ACTOR, deadline: performance.now() + 10_000 },
        emails as EmailAddress[],
        entry,
      );
  }
});
