import { MetricsServer } from '../../src/metrics/metrics-server.js';
import { until } from '../support/until.js';
import { LOOPBACK, TestWebhook } from '../support/webhooks.js';
import { createWorld, suppress, type World } from '../support/world.js';

describe('the metrics of webhooks', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ ...LOOPBACK, METRICS_PORT: '0' })));
  afterAll(() => world.close());

  const valueOf = async (name: string): Promise<number> => {
    const text = await (await fetch(world.app.get(MetricsServer).url!)).text();
    const line = text.split('\n').find((one) => one.startsWith(`suppression_list_webhook${name} `))!;
    return Number(line.split(' ').at(-1));
  };

  it('show the backlog and the lag of an endpoint that fails, and nothing once it works', async () => {
    const webhook = await TestWebhook.create(world, world.alice);
    webhook.endpoint.respond = (response) => response.writeHead(500).end();
    await suppress(world, world.alice, ['ada@example.com', 'grace@example.com', 'edsger@example.com']);
    await webhook.hasRecorded(1);
    expect(await valueOf('_backlog_changes')).toBe(2);
    expect(await valueOf('_lag_seconds')).toBeGreaterThan(0);
    expect(await valueOf('s_held')).toBe(1);
    expect(await valueOf('s_failing')).toBe(1);
    expect(await valueOf('_attempts_total{result="failure"}')).toBe(1);

    webhook.endpoint.respond = (response) => response.end();
    await webhook.skipWaiting();
    await webhook.receives(4);
    await until(async () => (await valueOf('_lag_seconds')) === 0);
    expect(await valueOf('_backlog_changes')).toBe(0);
    expect(await valueOf('s_failing')).toBe(0);
    expect(await valueOf('_attempts_total{result="success"}')).toBe(3);
    await webhook.endpoint.close();
  });
});
