import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { HeldWebhook } from '../../src/webhooks/held-webhook.js';
import { RecordedDeliveriesRepository } from '../../src/webhooks/recorded-deliveries.repository.js';
import { WebhookLeasesRepository } from '../../src/webhooks/webhook-leases.repository.js';
import { createEvent } from '../../src/webhooks/webhook-event.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { LOOPBACK, metricOf, TestWebhook } from '../support/webhooks.js';
import { createWorld, suppress, type World } from '../support/world.js';

/** The lease of an instance that died, and the time until another one looks. */
const TAKEOVER_MS = 60_000;

describe('webhooks of several instances', () => {
  let world: World;
  let other: TestApp;
  let webhook: TestWebhook;
  beforeEach(async () => {
    world = await createWorld(LOOPBACK);
    webhook = await TestWebhook.create(world, world.alice);
  });
  afterEach(async () => {
    await other?.close();
    await world.close();
    await webhook.endpoint.close();
  });

  /** How many webhooks each instance holds. */
  const countsByHolder = async (): Promise<number[]> => {
    const rows = await world.database.query<{ webhooks: number }>(
      'SELECT count(*)::integer AS webhooks FROM webhooks WHERE lease_id IS NOT NULL GROUP BY lease_id',
    );
    return rows.map(({ webhooks }) => webhooks);
  };

  it('are served by one of them at a time', async () => {
    other = await startTestApp(world.database.url, LOOPBACK);
    const third = await startTestApp(world.database.url, LOOPBACK);
    for (let number = 0; number < 20; number++) {
      await suppress(world, world.alice, [`user${number}@example.com`]);
    }
    await webhook.receives(20);
    await webhook.hasRecorded(20);
    await third.close();
    expect(webhook.endpoint.received).toHaveLength(20);
  });

  it('go to another instance when theirs stops, even in the middle of an attempt', async () => {
    webhook.endpoint.respond = () => undefined;
    await suppress(world, world.alice, ['ada@example.com']);
    await webhook.receives(1);
    other = await startTestApp(world.database.url, LOOPBACK);
    await world.app.close();
    webhook.endpoint.respond = (response) => response.end();
    await webhook.receives(2);
    expect(webhook.emails()).toEqual(['ada@example.com', 'ada@example.com']);
  });

  it('are taken over when the lease of an instance ends, and that instance stops delivering', async () => {
    await suppress(world, world.alice, ['first@example.com']);
    await webhook.receives(1);
    other = await startTestApp(world.database.url, LOOPBACK);
    const [before] = await world.database.query('SELECT lease_id FROM webhooks');
    await world.database.query(`UPDATE webhooks SET leased_until = now() - interval '1 second'`);
    const holder = async () => (await world.database.query('SELECT lease_id FROM webhooks'))[0]!.lease_id;
    await until(async () => (await holder()) !== before!.lease_id, TAKEOVER_MS);
    await suppress(world, world.alice, ['second@example.com']);
    await webhook.receives(2);
    await webhook.hasRecorded(2);
    expect(webhook.emails()).toEqual(['first@example.com', 'second@example.com']);
  });

  it('are shared with an instance that starts later, while every event arrives once and in order', async () => {
    const others = [];
    for (let number = 1; number < 4; number++) {
      others.push(await TestWebhook.create(world, world.alice));
    }
    await until(async () => (await countsByHolder()).join() === '4');
    const emails: string[] = [];
    const add = async () => {
      emails.push(`user${emails.length}@example.com`);
      await suppress(world, world.alice, emails.slice(-1));
    };
    other = await startTestApp(world.database.url, LOOPBACK);
    await until(async () => {
      await add();
      return (await countsByHolder()).join() === '2,2';
    });
    await add();
    for (const one of [webhook, ...others]) {
      await one.receives(emails.length);
      expect(one.emails()).toEqual(emails);
    }

    for (const { app } of [world, other]) {
      await app.get(WebhookLeasesRepository).requestShare();
    }
    expect(await world.database.query('SELECT FROM webhooks WHERE wanted_by IS NOT NULL')).toEqual([]);
    await Promise.all(others.map(({ endpoint }) => endpoint.close()));
  });

  it('are served again soon if the instance that asked for them has died', async () => {
    await world.database.query('UPDATE webhooks SET wanted_by = gen_random_uuid()');
    await until(
      async () => (await world.database.query('SELECT FROM webhooks WHERE wanted_by IS NULL')).length,
    );
    await suppress(world, world.alice, ['ada@example.com']);
    await webhook.receives(1);
  });

  it('keep the result of a delivery that their instance recorded before and after it claimed them again', async () => {
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
      attempts: [],
    };
    const webhooks = [{ ...held, version: -1 }, held] as HeldWebhook[];
    await world.app.get(RecordedDeliveriesRepository).record([delivery], webhooks);
    expect(await webhook.deliveries()).toMatchObject([{ id: event.id, status: 'success' }]);
  });

  it('miss no change after a failover that lost changes which they have received', async () => {
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
  });

  it('keep their position when their instance records changes that a failover lost', async () => {
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
  });

  it('are left to others by an instance that cannot read their secrets, and lag until then', async () => {
    await world.app.close();
    const SECRETS_KEY = 'b6'.repeat(32);
    const settings = { ...LOOPBACK, METRICS_PORT: '0' };
    const misconfigured = await startTestApp(world.database.url, { ...settings, SECRETS_KEY });
    const add = request(misconfigured.url).post('/suppressions').send({ email: 'ada@example.com' });
    await add.set('Authorization', `Bearer ${world.alice}`).expect(201);
    const complaints = () => misconfigured.logLines().filter((line) => line.webhook === webhook.id);
    await until(() => complaints().length === 1);
    expect(await metricOf(misconfigured, '_lag_seconds')).toBeGreaterThan(0);
    expect(await metricOf(misconfigured, 's_unserved')).toBe(1);
    const get = request(misconfigured.url).get(`/webhooks/${webhook.id}`);
    const { body } = await get.set('Authorization', `Bearer ${world.alice}`).expect(503);
    expect(body).toMatchObject({ code: 'signing_secret_unreadable' });

    other = await startTestApp(world.database.url, LOOPBACK);
    await webhook.receives(1);
    await until(async () => (await metricOf(misconfigured, '_lag_seconds')) === 0);
    expect(await metricOf(misconfigured, 's_unserved')).toBe(0);
    expect(complaints()).toMatchObject([{ level: 'error', error: 'UnreadableSecretError' }]);
    await misconfigured.close();
  });

  it('are shared again with an instance once those that it cannot read were changed or deleted', async () => {
    const repository = world.app.get(WebhookLeasesRepository);
    const versions = new Map([[webhook.id, 0]]);
    expect(await repository.changedSince(versions)).toEqual([]);
    expect(await repository.changedSince(new Map([[webhook.id, 1]]))).toEqual([webhook.id]);
    await world.as(world.alice).patch(`/webhooks/${webhook.id}`).send({ status: 'disabled' }).expect(200);
    expect(await repository.changedSince(versions)).toEqual([webhook.id]);
    await world.as(world.alice).delete(`/webhooks/${webhook.id}`).expect(200);
    expect(await repository.changedSince(versions)).toEqual([webhook.id]);
  });
});
