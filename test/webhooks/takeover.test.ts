import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import request from 'supertest';
import type { EndpointAgents } from '../../src/webhooks/endpoint/endpoint-network.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/held-webhook.js';
import { DeliveryRecorder } from '../../src/webhooks/delivery/delivery-recorder.js';
import { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import { WebhookLeasesRepository } from '../../src/webhooks/delivery/webhook-leases.repository.js';
import { createEvent } from '../../src/announcements/events.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { LOOPBACK, metricOf, TestWebhook } from '../support/webhooks.js';
import { createWorld, suppress, type World } from '../support/world.js';

/** Settings of an instance whose metrics can be read. */
const MEASURED = { ...LOOPBACK, METRICS_PORT: '0' };

interface Given {
  world: World;
  webhook: TestWebhook;
  /** Starts another instance on the same database. */
  start(settings?: Record<string, string>): Promise<TestApp>;
}

describe('webhooks of several instances', () => {
  /** Runs a test with an instance on a database of its own, since most tests run at the same time, and a webhook. */
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

  it.concurrent(
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

  it.concurrent(
    'go to another instance when theirs stops, even in the middle of an attempt',
    withWebhook(async ({ world, webhook, start }) => {
      webhook.endpoint.respond = () => undefined;
      await suppress(world, world.alice, ['ada@example.com']);
      await webhook.receives(1);
      const other = await start();
      await world.app.close();
      webhook.endpoint.respond = (response) => response.end();
      await webhook.receives(2);
      await until(async () => (await deliveredBy(other)).join() === '1');
      expect(webhook.emails()).toEqual(['ada@example.com', 'ada@example.com']);
    }),
  );

  it.concurrent(
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

  it.concurrent(
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

  it.concurrent(
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

  it.concurrent(
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

  it.concurrent(
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

  it.concurrent(
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
