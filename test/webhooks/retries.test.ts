import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Client } from 'pg';
import request from 'supertest';
import { createEvent } from '../../src/announcements/events.js';
import { DeliveryRecorder } from '../../src/webhooks/delivery/delivery-recorder.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/webhook-leases.js';
import { WebhookLeasesRepository } from '../../src/webhooks/delivery/webhook-leases.repository.js';
import type { EndpointAgents } from '../../src/webhooks/endpoint/endpoint-network.js';
import { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import type { Endpoint } from '../support/servers/endpoint.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { type DeliveryRow, LOOPBACK, metricOf, TestWebhook } from '../support/webhooks.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

describe('retries of webhooks', () => {
  let world: World;
  const endpoints: Endpoint[] = [];
  beforeAll(async () => (world = await createWorld(LOOPBACK)));
  afterAll(async () => {
    await world.close();
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  });

  /** A webhook of a new account, since the tests run at the same time. */
  async function setUp() {
    const alice = await createKey(world);
    const webhook = await TestWebhook.create(world, alice);
    endpoints.push(webhook.endpoint);
    return {
      alice,
      webhook,
      add: (...emails: string[]) => suppress(world, alice, emails),
      failWith: (status: number, headers: Record<string, string> = {}) => {
        webhook.endpoint.respond = (response) => response.writeHead(status, headers).end('out of order');
      },
      work: () => {
        webhook.endpoint.respond = (response) => response.end();
      },
    };
  }

  it.concurrent('wait in their order while the endpoint fails, and arrive when it works', async () => {
    const { webhook, add, failWith, work } = await setUp();
    failWith(500);
    await add('first@example.com');
    await webhook.hasRecorded(1);
    await add('second@example.com');
    await webhook.skipWaiting();
    await webhook.hasRecorded(2);
    expect(webhook.emails()).toEqual(['first@example.com', 'first@example.com']);
    const [delivery] = await webhook.deliveries();
    expect(delivery).toMatchObject({ type: 'suppression.added', status: 'pending' });
    expect(delivery!.attempts[0]).toMatchObject({
      http_status_code: 500,
      response: 'out of order',
      error: null,
    });
    expect(await webhook.get()).toMatchObject({ failing_since: delivery!.attempts[0]!.sent_at });

    work();
    await webhook.skipWaiting();
    await webhook.receives(4);
    expect(webhook.emails().slice(2)).toEqual(['first@example.com', 'second@example.com']);
    const [first, again] = webhook.endpoint.received;
    expect([again!.id, again!.body]).toEqual([first!.id, first!.body]);
    await until(async () => (await webhook.get()).failing_since === null);
  });

  it.concurrent('start five seconds after the first attempt', async () => {
    const { webhook, add, failWith, work } = await setUp();
    failWith(503);
    await add('ada@example.com');
    await webhook.receives(1);
    work();
    await webhook.receives(2);
    const [first, second] = webhook.endpoint.received.map(({ receivedAt }) => receivedAt);
    expect(second! - first!).toBeGreaterThanOrEqual(5_000);
  });

  it.concurrent(
    'are given up after eight attempts, listed as failed, and do not block later ones',
    async () => {
      const { webhook, add, failWith, work } = await setUp();
      failWith(500);
      await add('poison@example.com');
      for (let attempts = 1; attempts <= 8; attempts++) {
        await webhook.hasRecorded(attempts);
        await webhook.skipWaiting();
      }
      const [failed] = await webhook.deliveries({ status: 'failed' });
      expect(failed).toMatchObject({ status: 'failed', next_attempt_at: null });
      expect(failed!.attempts).toHaveLength(8);
      work();
      await add('later@example.com');
      await webhook.receives(9);
      expect(webhook.emails().at(-1)).toBe('later@example.com');
      expect(await webhook.deliveries({ status: 'failed' })).toHaveLength(1);

      await webhook.post(`events/${failed!.id}/replay`).expect(200);
      await webhook.receives(10);
      expect(webhook.emails().at(-1)).toBe('poison@example.com');
    },
  );

  it.concurrent('are not used up by attempts that a test event or a PATCH causes', async () => {
    const { webhook, add } = await setUp();
    webhook.endpoint.respond = (response, { payload }) =>
      response.writeHead(payload.type === 'webhook.test' ? 200 : 500).end();
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const waiting = async () =>
      (await webhook.deliveries({ status: 'pending' })).find(({ type }) => type === 'suppression.added')!;
    for (let early = 1; early <= 9; early++) {
      await (early % 2 ? webhook.post('test').expect(202) : webhook.patch({ status: 'enabled' }).expect(200));
      await until(async () => (await waiting()).attempts.length > early);
    }
    expect(await waiting()).toMatchObject({ status: 'pending' });
  });

  it.concurrent(
    'after 27 hours, early attempts count as retries, so that an event that always fails does not block others forever',
    async () => {
      const { webhook, add } = await setUp();
      webhook.endpoint.respond = (response, { payload }) =>
        response.writeHead(payload.data.email === 'poison@example.com' ? 500 : 200).end();
      await add('poison@example.com');
      await webhook.hasRecorded(1);
      await world.database.query(
        `UPDATE webhook_deliveries SET recorded_at = now() - interval '28 hours' WHERE webhook_id = $1`,
        [webhook.id],
      );
      await add('later@example.com');
      const poison = async () =>
        (await webhook.deliveries()).findLast(({ type }) => type === 'suppression.added')!;
      for (let early = 1; early <= 7; early++) {
        await (early % 2
          ? webhook.post('test').expect(202)
          : webhook.patch({ status: 'enabled' }).expect(200));
        await until(async () => (await poison()).attempts.length > early);
      }
      expect(await poison()).toMatchObject({ status: 'failed' });
      await until(() => webhook.emails().includes('later@example.com'));
    },
  );

  it.concurrent(
    'count an attempt that cannot connect only if the next one cannot connect either',
    async () => {
      const { webhook, add } = await setUp();
      await webhook.patch({ endpoint: 'http://127.0.0.1:1/' }).expect(200);
      await add('ada@example.com');
      await webhook.hasRecorded(1);
      expect(await webhook.get()).toMatchObject({ failing_since: null });
      await webhook.hasRecorded(2);
      const [{ attempts, next_attempt_at }] = (await webhook.deliveries()) as [DeliveryRow];
      expect(attempts.map(({ error }) => error)).toEqual(
        Array(2).fill(expect.stringMatching(/^The request failed: ECONNREFUSED\. Nothing accepts/)),
      );
      expect(await webhook.get()).toMatchObject({ failing_since: attempts[1]!.sent_at });
      expect(Date.parse(next_attempt_at!) - Date.parse(attempts[1]!.sent_at)).toBeGreaterThanOrEqual(5_000);
    },
  );

  it.concurrent(
    'end when the type of the event is removed from the webhook, so that later changes follow',
    async () => {
      const { alice, add } = await setUp();
      const both = await TestWebhook.create(world, alice, ['suppression.added', 'suppression.changed']);
      endpoints.push(both.endpoint);
      both.endpoint.respond = (response, { payload }) =>
        response.writeHead(payload.type === 'suppression.changed' ? 400 : 200).end();
      await add('first@example.com');
      await both.hasRecorded(2);
      await both.patch({ events: ['suppression.added'] }).expect(200);
      await add('second@example.com');
      await both.receives(3);
      expect(both.endpoint.types()).toEqual([
        'suppression.added',
        'suppression.changed',
        'suppression.added',
      ]);
      const [failed] = await both.deliveries({ status: 'failed' });
      expect(failed).toMatchObject({
        type: 'suppression.changed',
        attempts: { length: 1 },
        next_attempt_at: null,
      });
      await both.post(`events/${failed!.id}/replay`).expect(200);
      await both.receives(4);
    },
  );

  it.concurrent('leave a webhook that is not failing when the type of the event is removed', async () => {
    const { webhook, add, failWith } = await setUp();
    failWith(500);
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    expect(await webhook.get()).toMatchObject({ failing_since: expect.any(String) });
    await webhook.patch({ events: ['suppression.removed'] }).expect(200);
    await until(async () => (await webhook.deliveries({ status: 'failed' })).length === 1);
    expect(await webhook.get()).toMatchObject({ failing_since: null });
  });

  it.concurrent('keep the last 20 attempts when the type of the event is removed', async () => {
    const { webhook, add, failWith } = await setUp();
    failWith(500);
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const [{ id }] = (await webhook.deliveries()) as [DeliveryRow];
    await world.database.query(
      `UPDATE webhook_deliveries SET attempts = to_jsonb(array_fill(attempts -> 0, ARRAY[20])) WHERE id = $1`,
      [id],
    );
    await webhook.patch({ events: ['suppression.removed'] }).expect(200);
    await until(async () => (await webhook.deliveries({ status: 'failed' })).length === 1);
    const [failed] = await webhook.deliveries();
    expect(failed!.attempts).toHaveLength(20);
  });

  it.concurrent('do not delay later changes while a replayed event fails', async () => {
    const { webhook, add, failWith, work } = await setUp();
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const [{ id }] = (await webhook.deliveries()) as [DeliveryRow];
    failWith(500);
    await webhook.post(`events/${id}/replay`).expect(200);
    await webhook.hasRecorded(2);
    work();
    await add('later@example.com');
    await webhook.receives(3);
    expect(webhook.emails()).toEqual(['ada@example.com', 'ada@example.com', 'later@example.com']);
  });

  it.concurrent('keep a replay that is requested during an attempt of the same event', async () => {
    const { webhook, add, failWith } = await setUp();
    failWith(500);
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const [{ id }] = (await webhook.deliveries()) as [DeliveryRow];
    const responses: ServerResponse[] = [];
    webhook.endpoint.respond = (response) => responses.push(response);
    await webhook.skipWaiting();
    await webhook.receives(2);
    await webhook.post(`events/${id}/replay`).expect(200);
    responses[0]!.end();
    await webhook.receives(3);
    responses[1]!.end();
    await until(async () => (await webhook.deliveries())[0]!.status === 'success');
    await webhook.hasRecorded(3);
  });

  it.concurrent('are due at once if the webhook was changed during the failed attempt', async () => {
    const { alice, webhook, add } = await setUp();
    const other = await TestWebhook.create(world, alice);
    endpoints.push(other.endpoint);
    const responses: ServerResponse[] = [];
    webhook.endpoint.respond = (response) => responses.push(response);
    await add('ada@example.com');
    await webhook.receives(1);
    await webhook.patch({ endpoint: `${other.endpoint.url}moved` }).expect(200);
    responses[0]!.writeHead(429, { 'Retry-After': '3600' }).end();
    await other.receives(2);
    expect(other.emails()).toEqual(Array(2).fill('ada@example.com'));
    await until(async () => (await webhook.deliveries())[0]!.status === 'success');
    const tries = 'SELECT tries FROM webhook_deliveries WHERE webhook_id = $1';
    expect(await world.database.query(tries, [webhook.id])).toEqual([{ tries: 1 }]);
  });

  it.concurrent('keep the events of one change in their order', async () => {
    const { alice, add } = await setUp();
    const both = await TestWebhook.create(world, alice, ['suppression.added', 'suppression.changed']);
    endpoints.push(both.endpoint);
    both.endpoint.respond = (response) => response.writeHead(500).end();
    await add('ada@example.com');
    await both.hasRecorded(1);
    await both.skipWaiting();
    await both.hasRecorded(2);
    both.endpoint.respond = (response) => response.end();
    await both.skipWaiting();
    await both.receives(4);
    expect(both.endpoint.types()).toEqual([
      'suppression.added',
      'suppression.added',
      'suppression.added',
      'suppression.changed',
    ]);
  });

  it.concurrent('honour Retry-After', async () => {
    const { webhook, add, failWith } = await setUp();
    failWith(429, { 'Retry-After': '3600' });
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const [{ next_attempt_at, attempts }] = (await webhook.deliveries()) as [DeliveryRow];
    const wait = Date.parse(next_attempt_at!) - Date.parse(attempts[0]!.sent_at);
    expect(wait).toBeGreaterThanOrEqual(3_600_000);
    expect(wait).toBeLessThan(3_700_000);
  });

  it.concurrent('end when the endpoint responds 410, and resume when the webhook is enabled', async () => {
    const { webhook, add, failWith, work } = await setUp();
    failWith(410);
    await add('first@example.com');
    await until(async () => (await webhook.get()).status === 'disabled');
    expect(await webhook.get()).toMatchObject({ disabled_reason: 'gone', disabled_at: expect.any(String) });
    await add('second@example.com');
    await webhook.post('test').expect(409);
    work();
    await webhook.patch({ status: 'enabled' }).expect(200);
    await webhook.receives(3);
    expect(webhook.emails().slice(1)).toEqual(['first@example.com', 'second@example.com']);
    expect(await webhook.get()).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
      disabled_at: null,
    });
  });

  it.concurrent('end after five days of nothing but failures', async () => {
    const { webhook, add, failWith } = await setUp();
    failWith(500);
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    await world.database.query(
      `UPDATE webhooks SET failing_since = now() - interval '5 days', version = version + 1 WHERE id = $1`,
      [webhook.id],
    );
    for (let attempts = 1; attempts < 6; attempts++) {
      await webhook.hasRecorded(attempts);
      expect(await webhook.get()).toMatchObject({ status: 'enabled' });
      await webhook.skipWaiting();
    }
    await until(async () => (await webhook.get()).status === 'disabled');
    expect(await webhook.get()).toMatchObject({ disabled_reason: 'failing' });
    expect(world.logLines()).toContainEqual(
      expect.objectContaining({ level: 'warn', webhook: webhook.id, reason: 'failing' }),
    );
  });

  it.concurrent.each([
    ['', null],
    [', nor if an instance died before', randomUUID()],
  ])('do not wait until the clock of the database, which was set back, catches up%s', async (_, leaseId) => {
    const { webhook, add } = await setUp();
    await world.database.query(
      `UPDATE webhooks SET lease_id = $2, leased_until = now() + interval '1 hour' WHERE id = $1`,
      [webhook.id, leaseId],
    );
    await add('ada@example.com');
    await webhook.receives(1);
  });

  it.concurrent('resume at once when a test event succeeds', async () => {
    const { webhook, add, failWith, work } = await setUp();
    failWith(500);
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    await webhook.skipWaiting();
    await webhook.hasRecorded(2);
    work();
    const { body } = await webhook.post('test').expect(202);
    await webhook.receives(4);
    expect(webhook.endpoint.types().slice(2)).toEqual(['webhook.test', 'suppression.added']);
    expect(webhook.endpoint.received[2]!.id).toBe(body.id);
  });

  it('do not deadlock with a caller who changes the webhook', async () => {
    const { webhook, add, failWith } = await setUp();
    failWith(500);
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const open: ServerResponse[] = [];
    webhook.endpoint.respond = (response) => open.push(response);
    await webhook.skipWaiting();
    await until(() => open.length === 1);
    const caller = new Client(world.database.url);
    await caller.connect();
    await caller.query('BEGIN');
    await caller.query('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [webhook.id]);
    open[0]!.writeHead(500).end();
    await world.database.untilWaiting();
    await caller.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1 AND status = 'pending'`,
      [webhook.id],
    );
    await caller.query('COMMIT');
    await caller.end();
    await webhook.hasRecorded(2);
    expect(world.logLines().filter(({ code }) => code === '40P01')).toEqual([]);
  });
});

/** Settings of an instance whose metrics can be read. */
const MEASURED = { ...LOOPBACK, METRICS_PORT: '0' };

interface Given {
  world: World;
  webhook: TestWebhook;
  /** Starts another instance on the same database. */
  start(settings?: Record<string, string>): Promise<TestApp>;
}

describe('webhooks of several instances', () => {
  /** Runs a test with an instance on a database of its own, and a webhook. */
  const withWebhook = (test: (given: Given) => Promise<void>) => async () => {
    const world = await createWorld(MEASURED);
    const webhook = await TestWebhook.create(world, world.alice);
    const others: TestApp[] = [];
    try {
      await test({
        world,
        webhook,
        start: async (settings) => {
          const other = await startTestApp(world.database.url, { ...MEASURED, ...settings });
          others.push(other);
          return other;
        },
      });
    } finally {
      await Promise.all(others.map((other) => other.close()));
      await world.close();
      await webhook.endpoint.close();
    }
  };

  /** Lets an instance hold the webhook without serving it. */
  const hold = async ({ app, database }: World): Promise<{ account_id: number; position: string }> => {
    const [row] = await database.query<{ account_id: number; position: string }>(
      `UPDATE webhooks SET lease_id = $1, leased_until = now() + interval '1 minute' RETURNING account_id, position`,
      [app.get(WebhookLeasesRepository).leaseId],
    );
    return row!;
  };

  /** Whether an instance holds the webhook. */
  const holds = async (world: World, { app }: TestApp): Promise<boolean> => {
    const [row] = await world.database.query<{ lease_id: string }>('SELECT lease_id FROM webhooks');
    return row!.lease_id === app.get(WebhookLeasesRepository).leaseId;
  };

  /** Lets every connection of an instance to an endpoint fail. */
  const cutOff = ({ app }: TestApp) => {
    const { agents } = app.get(WebhookClient) as unknown as { agents: EndpointAgents };
    return jest
      .spyOn(agents.get(4, new URL('http://127.0.0.1')), 'createConnection')
      .mockImplementation(() => connect(1, '127.0.0.1'));
  };

  /** How many events each instance has delivered. */
  const deliveredBy = (...instances: TestApp[]): Promise<number[]> =>
    Promise.all(instances.map((instance) => metricOf(instance, '_delay_seconds_count')));

  it(
    'are served by one of them at a time',
    withWebhook(async ({ world, webhook, start }) => {
      const other = await start();
      const third = await start();
      const emails = Array.from({ length: 20 }, (_, number) => `user${number}@example.com`);
      for (const email of emails) {
        await suppress(world, world.alice, [email]);
      }
      await webhook.receives(20);
      await webhook.hasRecorded(20);
      const delivered = await deliveredBy(world, other, third);
      expect(delivered.reduce((sum, one) => sum + one)).toBe(20);
      expect(webhook.emails()).toEqual(emails);
    }),
  );

  it(
    'go to another instance when theirs stops, even in the middle of an attempt',
    withWebhook(async ({ world, webhook, start }) => {
      const other = await start();
      webhook.endpoint.respond = () => undefined;
      await suppress(world, world.alice, ['ada@example.com']);
      await webhook.receives(1);
      webhook.endpoint.respond = (response) => response.end();
      const [stopping, remaining] = (await holds(world, other)) ? [other, world] : [world, other];
      await stopping.app.close();
      await webhook.receives(2);
      await until(async () => (await deliveredBy(remaining)).join() === '1');
      expect(webhook.emails()).toEqual(['ada@example.com', 'ada@example.com']);
    }),
  );

  it(
    'keep their retries if an instance loses its network, until it reaches an endpoint again',
    withWebhook(async ({ world, webhook, start }) => {
      const other = await start();
      const cut = cutOff(world);
      const client = world.app.get(WebhookClient);
      let added = 0;
      const add = () => suppress(world, world.alice, [`user${++added}@example.com`]);
      while (!client.mayBeCutOff) {
        await add();
      }
      await webhook.receives(added);
      await until(async () => (await webhook.deliveries({ status: 'pending' })).length === 0);
      const statuses = (await webhook.deliveries({ limit: 100 })).map(({ attempts }) =>
        attempts.map(({ http_status_code }) => http_status_code),
      );
      expect(statuses).toContainEqual([0, 200]);
      expect(statuses.filter((codes) => codes.length > 2 || codes.at(-1) !== 200)).toEqual([]);
      expect(await webhook.get()).toMatchObject({ failing_since: null });
      expect(await deliveredBy(world, other)).toEqual([0, added]);

      cut.mockRestore();
      await other.close();
      await add();
      await until(() => !client.mayBeCutOff);
      await webhook.receives(added);
    }),
  );

  it(
    'are taken over when the lease of an instance ends, and the result of that instance is not stored',
    withWebhook(async ({ world, webhook, start }) => {
      const responses: ServerResponse[] = [];
      webhook.endpoint.respond = (response) => void responses.push(response);
      await suppress(world, world.alice, ['first@example.com']);
      await until(() => responses.length === 1);
      expect(await metricOf(world, 's_held')).toBe(1);
      const other = await start();
      await world.database.query(`UPDATE webhooks SET leased_until = now() - interval '1 second'`);
      await until(() => responses.length === 2);
      responses[0]!.writeHead(500).end();
      await until(async () => (await metricOf(world, 's_held')) === 0);
      expect(await webhook.deliveries()).toEqual([]);
      responses[1]!.end();
      await webhook.hasRecorded(1);
      expect(await deliveredBy(world, other)).toEqual([0, 1]);
      expect(await webhook.deliveries()).toMatchObject([{ status: 'success', attempts: { length: 1 } }]);
      expect(await webhook.get()).toMatchObject({ failing_since: null });
    }),
  );

  it(
    'are shared with an instance that starts later, while every event arrives once and in order',
    withWebhook(async ({ world, webhook, start }) => {
      const others = [];
      for (let number = 1; number < 4; number++) {
        others.push(await TestWebhook.create(world, world.alice));
      }
      const emails: string[] = [];
      const add = async () => {
        emails.push(`user${emails.length}@example.com`);
        await suppress(world, world.alice, emails.slice(-1));
      };
      await add();
      await until(async () => (await deliveredBy(world)).join() === '4');
      const other = await start();
      await until(async () => {
        await add();
        const [first, second] = await deliveredBy(world, other);
        return first! > 4 && second! > 0;
      });
      for (const one of [webhook, ...others]) {
        await one.receives(emails.length);
        expect(one.emails()).toEqual(emails);
      }
      await Promise.all(others.map(({ endpoint }) => endpoint.close()));
    }),
  );

  it(
    'keep the result of a delivery that their instance recorded before and after it claimed them again',
    withWebhook(async ({ world, webhook }) => {
      const row = await hold(world);
      const held = {
        accountId: row.account_id,
        id: webhook.id,
        version: 0,
        position: Number(row.position),
        changeId: null,
        failingSince: null,
        disabledReason: null,
      };
      const event = createEvent('webhook.test', 'key', new Date(), {});
      const delivery = {
        ...event,
        accountId: held.accountId,
        webhookId: held.id,
        status: 'success' as const,
        position: null,
        tries: 1,
        nextAttemptAt: null,
        dueAt: null,
        attempts: [],
      };
      const recorder = world.app.get(DeliveryRecorder);
      recorder.record({ ...held, version: -1 } as HeldWebhook, [delivery]);
      recorder.record(held as HeldWebhook, []);
      await recorder.flush();
      expect(await webhook.deliveries()).toMatchObject([{ id: event.id, status: 'success' }]);
    }),
  );

  it(
    'miss no change after a failover that lost changes which they have received',
    withWebhook(async ({ world, webhook }) => {
      const position = async () =>
        Number((await world.database.query('SELECT position FROM webhooks'))[0]!.position);
      const add = async (...names: string[]) => {
        for (const name of names) {
          await suppress(world, world.alice, [`${name}@example.com`]);
        }
      };
      await add('kept1', 'kept2');
      await until(async () => (await position()) === 2);
      await add('lost1', 'lost2', 'lost3');
      await until(async () => (await position()) === 5);

      await world.database.query(`
      WITH webhook AS (UPDATE webhooks SET position = 2),
        head AS (UPDATE feed_heads SET last_position = 2),
        pages AS (DELETE FROM feed_pages WHERE first_position > 2)
      UPDATE feed_pages SET change_ids = change_ids[1:3 - first_position] WHERE first_position <= 2`);
      const after = ['new1', 'new2', 'new3', 'new4', 'new5'];
      await add(...after);
      await until(async () => (await position()) === 7);
      expect(webhook.emails().slice(5)).toEqual(after.map((name) => `${name}@example.com`));
    }),
  );

  it(
    'keep their position when their instance records changes that a failover lost',
    withWebhook(async ({ world, webhook }) => {
      const row = await hold(world);
      const held = {
        accountId: row.account_id,
        id: webhook.id,
        version: 0,
        failingSince: null,
        disabledReason: null,
      };
      const lost = { ...held, position: 5, changeId: randomUUID() } as HeldWebhook;
      const recorder = world.app.get(DeliveryRecorder);
      recorder.record(lost, []);
      await recorder.flush();
      expect(await world.database.query('SELECT position FROM webhooks')).toEqual([{ position: '0' }]);
    }),
  );

  // All instances log to the one that started last, so the tests that read a log run alone.
  it(
    'are left to others by an instance that cannot read their secrets, and lag until then',
    withWebhook(async ({ world, webhook, start }) => {
      await TestWebhook.create(world, world.alice);
      await world.app.close();
      const SECRETS_KEY = 'b6'.repeat(32);
      const misconfigured = await start({ SECRETS_KEY });
      const add = request(misconfigured.url).post('/suppressions').send({ email: 'ada@example.com' });
      await add.set('Authorization', `Bearer ${world.alice}`).expect(201);
      const complaints = () =>
        misconfigured
          .logLines()
          .filter(({ webhooks }) => (webhooks as string[] | undefined)?.includes(webhook.id));
      await until(() => complaints().length === 1);
      expect(complaints()[0]).toMatchObject({ webhooks: { length: 2 } });
      expect(await metricOf(misconfigured, '_lag_seconds')).toBeGreaterThan(0);
      expect(await metricOf(misconfigured, 's_unserved')).toBe(0);
      await world.database.query(
        `INSERT INTO webhook_deliveries (account_id, webhook_id, id, type, body, status, tries, next_attempt_at, attempts, created_at)
        SELECT account_id, id, gen_random_uuid(), 'webhook.test', '{}', 'pending', 1, now() - interval '1 minute', '[]', now()
        FROM webhooks`,
      );
      await until(async () => (await metricOf(misconfigured, 's_unserved')) === 2);
      // As after the clock of the database was set back and the instance that held them died.
      await world.database.query(
        `UPDATE webhooks SET lease_id = gen_random_uuid(), leased_until = now() + interval '1 hour'`,
      );
      expect(await metricOf(misconfigured, 's_unserved')).toBe(2);
      const get = request(misconfigured.url).get(`/webhooks/${webhook.id}`);
      const { body } = await get.set('Authorization', `Bearer ${world.alice}`).expect(503);
      expect(body).toMatchObject({ code: 'signing_secret_unreadable' });

      await start();
      await webhook.receives(1);
      await until(async () => (await metricOf(misconfigured, '_lag_seconds')) === 0);
      expect(await metricOf(misconfigured, 's_unserved')).toBe(0);
      expect(complaints()).toMatchObject([{ level: 'error', msg: expect.stringContaining('SECRETS_KEY') }]);
    }),
  );
});
