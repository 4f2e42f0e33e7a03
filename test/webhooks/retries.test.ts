import type { ServerResponse } from 'node:http';
import { Client } from 'pg';
import type { Endpoint } from '../support/servers/endpoint.js';
import { until } from '../support/until.js';
import { LOOPBACK, TestWebhook, type DeliveryRow } from '../support/webhooks.js';
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
    await until(async () => (await world.database.countWaiting()) > 0);
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
