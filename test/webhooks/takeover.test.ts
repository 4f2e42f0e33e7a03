import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import request from 'supertest';
import type { EndpointAgents } from '../../src/webhooks/endpoint/endpoint-agents.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/held-webhook.js';
import { RecordedDeliveriesRepository } from '../../src/webhooks/delivery/recorded-deliveries.repository.js';
import { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import { WebhookLeases } from '../../src/webhooks/delivery/webhook-leases.js';
import { WebhookLeasesRepository } from '../../src/webhooks/delivery/webhook-leases.repository.js';
import { createEvent } from '../../src/announcements/event.js';
import { startTestApp, TEST_SECRETS_KEY, type TestApp } from '../support/test-app.js';
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

  /** How many webhooks each instance holds. */
  const countsByHolder = async ({ database }: World): Promise<number[]> => {
    const rows = await database.query<{ webhooks: number }>(
      'SELECT count(*)::integer AS webhooks FROM webhooks WHERE lease_id IS NOT NULL GROUP BY lease_id',
    );
    return rows.map(({ webhooks }) => webhooks);
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
      await until(async () => (await metricOf(world, 's_held')) === 1);
      const other = await start();
      const third = await start();
      const emails = Array.from({ length: 20 }, (_, number) => `user${number}@example.com`);
      for (const email of emails) {
        await suppress(world, world.alice, [email]);
      }
      await webhook.receives(20);
      await webhook.hasRecorded(20);
      expect(await deliveredBy(world, other, third)).toEqual([20, 0, 0]);
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
    'keep their retries if an instance loses its network; that instance gets one webhook at a time until it reaches an endpoint',
    withWebhook(async ({ world, webhook, start }) => {
      const webhooks = [webhook];
      for (let number = 1; number < 4; number++) {
        webhooks.push(await TestWebhook.create(world, world.alice));
      }
      const other = await start();
      await until(async () => (await countsByHolder(world)).join() === '2,2');
      const cut = cutOff(world);
      await suppress(world, world.alice, ['first@example.com']);
      const attempts = [];
      for (const one of webhooks) {
        await until(async () => (await one.deliveries({ status: 'success' })).length === 1);
        expect(await one.get()).toMatchObject({ failing_since: null });
        attempts.push((await one.deliveries())[0]!.attempts.map(({ http_status_code }) => http_status_code));
      }
      expect(attempts.sort()).toEqual([[0, 200], [0, 200], [200], [200]]);
      expect(await deliveredBy(world, other)).toEqual([0, 4]);
      expect(await countsByHolder(world)).toEqual([4]);

      const client = world.app.get(WebhookClient);
      expect(client.mayBeCutOff).toBe(true);
      cut.mockRestore();
      await until(async () => {
        await world.app.get(WebhookLeases).requestShare(1);
        return (await metricOf(world, 's_held')) > 0;
      });
      await suppress(world, world.alice, ['second@example.com']);
      await until(() => !client.mayBeCutOff);
      await Promise.all(webhooks.slice(1).map(({ endpoint }) => endpoint.close()));
    }),
  );

  it.concurrent(
    'are taken over when the lease of an instance ends, and that instance stops delivering',
    withWebhook(async ({ world, webhook, start }) => {
      await suppress(world, world.alice, ['first@example.com']);
      await webhook.hasRecorded(1);
      const other = await start();
      const { leaseId } = world.app.get(WebhookLeasesRepository);
      await until(async () => {
        await world.database.query(
          `UPDATE webhooks SET leased_until = now() - interval '1 second' WHERE lease_id = $1`,
          [leaseId],
        );
        return (await metricOf(other, 's_held')) === 1;
      });
      await until(async () => (await metricOf(world, 's_held')) === 0);
      await suppress(world, world.alice, ['second@example.com']);
      await webhook.receives(2);
      await webhook.hasRecorded(2);
      expect(await deliveredBy(world, other)).toEqual([1, 1]);
      expect(webhook.emails()).toEqual(['first@example.com', 'second@example.com']);
    }),
  );

  it.concurrent(
    'are shared with an instance that starts later, while every event arrives once and in order',
    withWebhook(async ({ world, webhook, start }) => {
      const others = [];
      for (let number = 1; number < 4; number++) {
        others.push(await TestWebhook.create(world, world.alice));
      }
      await until(async () => (await countsByHolder(world)).join() === '4');
      const emails: string[] = [];
      const add = async () => {
        emails.push(`user${emails.length}@example.com`);
        await suppress(world, world.alice, emails.slice(-1));
      };
      const other = await start();
      await until(async () => {
        await add();
        return (await countsByHolder(world)).join() === '2,2';
      });
      await add();
      for (const one of [webhook, ...others]) {
        await one.receives(emails.length);
        expect(one.emails()).toEqual(emails);
      }

      for (const { app } of [world, other]) {
        await app.get(WebhookLeasesRepository).requestShare(200);
      }
      expect(await world.database.query('SELECT FROM webhooks WHERE wanted_by IS NOT NULL')).toEqual([]);
      await Promise.all(others.map(({ endpoint }) => endpoint.close()));
    }),
  );

  it.concurrent(
    'are served again soon if the instance that asked for them has died',
    withWebhook(async ({ world, webhook }) => {
      await world.database.query('UPDATE webhooks SET wanted_by = gen_random_uuid()');
      await until(
        async () => (await world.database.query('SELECT FROM webhooks WHERE wanted_by IS NULL')).length,
      );
      await suppress(world, world.alice, ['ada@example.com']);
      await webhook.receives(1);
    }),
  );

  it.concurrent(
    'keep the result of a delivery that their instance recorded before and after it claimed them again',
    withWebhook(async ({ world, webhook }) => {
      const { leaseId } = world.app.get(WebhookLeasesRepository);
      const read = 'SELECT account_id, lease_id, position FROM webhooks';
      await until(async () => (await world.database.query(read))[0]!.lease_id === leaseId);
      const [row] = await world.database.query<{ account_id: number; position: string }>(read);
      const held = {
        accountId: row!.account_id,
        id: webhook.id,
        version: 0,
        position: Number(row!.position),
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
      const webhooks = [{ ...held, version: -1 }, held] as HeldWebhook[];
      await world.app.get(RecordedDeliveriesRepository).record([delivery], webhooks);
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
      const read = 'SELECT account_id, lease_id, position FROM webhooks';
      const { leaseId } = world.app.get(WebhookLeasesRepository);
      await until(async () => (await world.database.query(read))[0]!.lease_id === leaseId);
      const [row] = await world.database.query<{ account_id: number }>(read);
      const held = {
        accountId: row!.account_id,
        id: webhook.id,
        version: 0,
        failingSince: null,
        disabledReason: null,
      };
      const lost = { ...held, position: 5, changeId: randomUUID() } as HeldWebhook;
      await world.app.get(RecordedDeliveriesRepository).record([], [lost]);
      expect(await world.database.query(read)).toMatchObject([{ position: '0' }]);
    }),
  );

  // All instances log to the one that started last, so the tests that read a log run alone.
  it(
    'are left to others by an instance that cannot read their secrets, and lag until then',
    withWebhook(async ({ world, webhook, start }) => {
      const second = { endpoint: webhook.endpoint.url, events: ['suppression.removed'] };
      await world.as(world.charlie).post('/webhooks').send(second).expect(201);
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

  it(
    'are shared with an instance again once the webhooks whose secrets it cannot read have been changed or deleted',
    withWebhook(async ({ world, webhook, start }) => {
      const keys = { SECRETS_KEY: 'b6'.repeat(32), SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY };
      const other = await start(keys);
      const unable = await start({ SECRETS_KEY: keys.SECRETS_KEY });
      await until(async () => {
        await world.database.query('UPDATE webhooks SET lease_id = NULL, leased_until = NULL');
        return unable
          .logLines()
          .some(({ webhooks }) => (webhooks as string[] | undefined)?.includes(webhook.id));
      });
      for (let number = 1; number < 3; number++) {
        await request(other.url)
          .post('/webhooks')
          .set('Authorization', `Bearer ${world.charlie}`)
          .send({ endpoint: webhook.endpoint.url, events: ['suppression.added'] })
          .expect(201);
      }
      const { leaseId } = other.app.get(WebhookLeasesRepository);
      await until(async () => {
        await world.database.query(
          `UPDATE webhooks SET lease_id = $1, leased_until = now() + interval '1 minute', wanted_by = NULL`,
          [leaseId],
        );
        return (await metricOf(other, 's_held')) === 3 && (await metricOf(unable, 's_held')) === 0;
      });
      await unable.app.get(WebhookLeases).requestShare(200);
      expect(await countsByHolder(world)).toEqual([3]);
      expect(await world.database.query('SELECT FROM webhooks WHERE wanted_by IS NOT NULL')).toEqual([]);

      const repository = world.app.get(WebhookLeasesRepository);
      const versions = new Map([[webhook.id, 0]]);
      expect(await repository.findChanged(versions)).toEqual([]);
      expect(await repository.findChanged(new Map([[webhook.id, 1]]))).toEqual([webhook.id]);
      await world.as(world.alice).patch(`/webhooks/${webhook.id}`).send({ status: 'disabled' }).expect(200);
      expect(await repository.findChanged(versions)).toEqual([webhook.id]);
      await unable.app.get(WebhookLeases).requestShare(200);
      await until(async () => (await metricOf(unable, 's_held')) === 1);
      await world.as(world.alice).delete(`/webhooks/${webhook.id}`).expect(200);
      expect(await repository.findChanged(versions)).toEqual([webhook.id]);
    }),
  );
});
