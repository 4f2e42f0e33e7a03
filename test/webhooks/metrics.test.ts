import request from 'supertest';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { LOOPBACK, metricOf, TestWebhook } from '../support/webhooks.js';
import { createWorld, suppress, type World } from '../support/world.js';

const SETTINGS = { ...LOOPBACK, METRICS_PORT: '0' };

describe('the metrics of webhooks', () => {
  let world: World;
  let webhook: TestWebhook;
  beforeEach(async () => {
    world = await createWorld(SETTINGS);
    webhook = await TestWebhook.create(world, world.alice);
  });
  afterEach(async () => {
    await world.close();
    await webhook.endpoint.close();
  });

  it('show the backlog and the lag of an endpoint that fails, and nothing once it works', async () => {
    const valueOf = (name: string) => metricOf(world, name);
    webhook.endpoint.respond = (response) => response.writeHead(500).end();
    await suppress(world, world.alice, ['ada@example.com', 'grace@example.com', 'edsger@example.com']);
    await webhook.hasRecorded(1);
    expect(await valueOf('_backlog_changes')).toBe(2);
    expect(await valueOf('_lag_seconds')).toBeGreaterThan(0);
    expect(await valueOf('s_failing')).toBe(1);
    expect(await valueOf('_attempts_total{result="failure"}')).toBe(1);

    webhook.endpoint.respond = (response) => response.end();
    await webhook.skipWaiting();
    await webhook.receives(4);
    await until(async () => (await valueOf('_lag_seconds')) === 0);
    expect(await valueOf('_backlog_changes')).toBe(0);
    expect(await valueOf('s_failing')).toBe(0);
    expect(await valueOf('_attempts_total{result="success"}')).toBe(3);
  });

  it('are the same whichever instance is asked', async () => {
    const other = await startTestApp(world.database.url, SETTINGS);
    webhook.endpoint.respond = (response) => response.writeHead(500).end();
    await suppress(world, world.alice, ['ada@example.com', 'grace@example.com', 'edsger@example.com']);
    await webhook.hasRecorded(1);
    for (const instance of [world, other]) {
      expect(await metricOf(instance, '_backlog_changes')).toBe(2);
      expect(await metricOf(instance, 's_failing')).toBe(1);
    }
    await other.close();
  });

  it('show changes that wait since before the start, and a scrape gives them no positions', async () => {
    const startWithoutKey = (): Promise<TestApp> =>
      startTestApp(world.database.url, { ...SETTINGS, SECRETS_KEY: '' });
    await world.app.close();
    const first = await startWithoutKey();
    const emails = ['ada@example.com', 'grace@example.com'];
    const add = request(first.url).post('/suppressions/batch/add').send({ emails });
    await add.set('Authorization', `Bearer ${world.alice}`).expect(201);
    await first.close();

    const second = await startWithoutKey();
    expect(await metricOf(second, '_lag_seconds')).toBeGreaterThan(0);
    expect(await metricOf(second, '_backlog_changes')).toBe(2);
    const [{ pending }] = (await world.database.query(
      'SELECT count(*)::integer AS pending FROM feed_pending',
    )) as [{ pending: number }];
    expect(pending).toBe(1);
    await second.close();
  });
});
