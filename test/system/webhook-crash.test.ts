import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request, { type Agent } from 'supertest';
import { Child } from '../support/child-process.js';
import { startTestApp, TEST_SECRETS_KEY, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { LOOPBACK, TestWebhook } from '../support/webhooks.js';
import { createWorld, suppress, type World } from '../support/world.js';

const PATIENCE_MS = 60_000;
const MAX_LEASE_SECONDS = 45;

describe('an instance that is killed while it delivers to a webhook', () => {
  let folder: string;
  let world: World;
  let url: string;
  let first: Child;
  let second: TestApp;
  let webhook: TestWebhook;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-webhook-'));
    const closed = await createWorld();
    await closed.app.close();
    const as = (apiKey: string) => request.agent(url).set('Authorization', `Bearer ${apiKey}`) as Agent;
    world = { ...closed, as };
    const settings = { DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY, ...LOOPBACK };
    first = Child.service(settings, folder);
    url = (await first.says(/listening on (http:[^"]+)/))[1]!;
    webhook = await TestWebhook.create(world, world.alice);
  }, PATIENCE_MS);
  afterAll(async () => {
    first.kill('SIGKILL');
    await first.ended;
    await second.close();
    await webhook.endpoint.close();
    await world.database.drop();
    await rm(folder, { recursive: true });
  });

  it(
    'is replaced within a minute by another one, which loses no event and keeps their order',
    async () => {
      webhook.endpoint.respond = (response) => void (webhook.endpoint.received.length < 3 && response.end());
      await suppress(world, world.alice, addresses('before'));
      await webhook.receives(3);
      first.kill('SIGKILL');
      await first.ended;
      webhook.endpoint.respond = (response) => void response.end();
      const [lease] = await world.database.query<{ seconds: number }>(
        'SELECT extract(epoch FROM leased_until - now())::integer AS seconds FROM webhooks',
      );
      expect(lease!.seconds).toBeLessThanOrEqual(MAX_LEASE_SECONDS);
      await world.database.query('UPDATE webhooks SET leased_until = now()');

      second = await startTestApp(world.database.url, LOOPBACK);
      url = second.url;
      await suppress(world, world.alice, addresses('after'));
      const all = [...addresses('before'), ...addresses('after')];
      await until(() => webhook.emails().at(-1) === all.at(-1), PATIENCE_MS);
      expect([...new Set(webhook.emails())]).toEqual(all);
      expect(new Set(webhook.endpoint.received.map(({ id }) => id)).size).toBe(all.length);
    },
    2 * PATIENCE_MS,
  );
});

function addresses(name: string): string[] {
  return Array.from({ length: 20 }, (_, index) => `${name}${String(index).padStart(2, '0')}@example.com`);
}
