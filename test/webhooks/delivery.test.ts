import type { ServerResponse } from 'node:http';
import { DeadlineExceededError } from '../../src/database/errors.js';
import type { FeedService } from '../../src/feed/feed.service.js';
import { findPositionBefore } from '../../src/webhooks/position-before.js';
import { DeliverySweep } from '../../src/webhooks/delivery/delivery-deletion.js';
import type { ReceivedEvent } from '../support/servers/endpoint.js';
import { upload } from '../support/imports.js';
import { until } from '../support/until.js';
import { LOOPBACK, TestWebhook, type DeliveryRow } from '../support/webhooks.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

describe('deliveries to webhooks', () => {
  let world: World;
  let alice: string;
  let webhook: TestWebhook;
  beforeAll(async () => (world = await createWorld(LOOPBACK)));
  beforeEach(async () => {
    alice = await createKey(world);
    webhook = await TestWebhook.create(world, alice);
  });
  afterEach(async () => {
    await world.as(alice).delete(`/webhooks/${webhook.id}`);
    await webhook.endpoint.close();
  });
  afterAll(() => world.close());

  const add = (...emails: string[]) => suppress(world, alice, emails);
  const failWith = (status: number, headers: Record<string, string> = {}) => {
    webhook.endpoint.respond = (response) => response.writeHead(status, headers).end('out of order');
  };

  it('are in the order of the changes, each with its own id', async () => {
    const emails = Array.from({ length: 250 }, (_, index) => `user${index}@example.com`);
    for (let start = 0; start < emails.length; start += 50) {
      await add(...emails.slice(start, start + 50));
    }
    await webhook.receives(emails.length);
    expect(webhook.emails().toSorted()).toEqual(emails.toSorted());
    const changes = (await world.as(alice).get('/changes').query({ limit: 1_000 })).body.data;
    expect(webhook.emails()).toEqual(changes.map(({ email }: { email: string }) => email));
    expect(new Set(webhook.endpoint.received.map(({ id }) => id)).size).toBe(emails.length);
  });

  it('are made of what the webhook asked for, in the form of GET /changes', async () => {
    const all = await TestWebhook.create(world, alice, ['suppression.changed', 'preference.changed']);
    await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    await add('ada@example.com');
    const topics = [{ id: 'news', subscription: 'opt_out' }];
    await world.as(alice).patch('/contacts/ada@example.com/topics').send(topics).expect(200);
    const changes = async () => (await world.as(alice).get('/changes')).body.data as object[];
    await all.receives((await changes()).length);
    expect(all.endpoint.received.map(({ payload }) => payload.data)).toEqual(await changes());
    expect(all.endpoint.types()[0]).toBe('suppression.changed');
    expect(webhook.endpoint.types()).toEqual(['suppression.added']);
    await all.endpoint.close();
  });

  it('are repeated since a time, with the same ids, before newer ones', async () => {
    await add('ada@example.com', 'grace@example.com');
    await webhook.receives(2);
    await webhook.hasRecorded(2);
    const since = new Date(Date.now() - 60_000).toISOString();
    await webhook.post('replay', { since }).expect(202);
    await add('later@example.com');
    await webhook.receives(5);
    const ids = webhook.endpoint.received.map(({ id }) => id);
    expect(ids.slice(2, 4)).toEqual(ids.slice(0, 2));
    const future = new Date(Date.now() + 60_000).toISOString();
    const { body } = await webhook.post('replay', { since: future }).expect(400);
    expect(body.errors).toEqual([{ path: 'since', message: 'must not be in the future' }]);
  });

  it('are not searched for any longer than the caller waits', async () => {
    let reads = 0;
    const feed = { head: async () => ({ position: 1_000 }), read: async () => void reads++ };
    const search = findPositionBefore(
      feed as unknown as FeedService,
      { accountId: 1, deadline: performance.now() },
      new Date(),
    );
    await expect(search).rejects.toThrow(DeadlineExceededError);
    expect(reads).toBe(0);
  });

  it('announce an import once it is completed', async () => {
    const imports = await TestWebhook.create(world, alice, ['import.completed']);
    const { body } = await upload(world, alice, 'ada@example.com\nno address\n').expect(202);
    await imports.receives(1);
    const [{ payload }] = imports.endpoint.received as [ReceivedEvent];
    const { body: completed } = await world.as(alice).get(`/imports/${body.id}`).expect(200);
    expect(completed).toMatchObject({ status: 'completed', added: 1, invalid: 1 });
    expect(payload).toEqual({
      type: 'import.completed',
      created_at: completed.completed_at,
      data: completed,
    });
    await imports.endpoint.close();
  });

  it('announce an import once it has failed, with the counts of what it applied', async () => {
    const imports = await TestWebhook.create(world, alice, ['import.failed']);
    const { body } = await upload(world, alice, 'email,cause\nada@example.com,bounce\n"open').expect(202);
    await imports.receives(1);
    const [{ payload }] = imports.endpoint.received as [ReceivedEvent];
    const { body: failed } = await world.as(alice).get(`/imports/${body.id}`).expect(200);
    expect(failed).toMatchObject({ status: 'failed', added: 1, error: { code: 'unterminated_quote' } });
    expect(payload).toEqual({ type: 'import.failed', created_at: failed.completed_at, data: failed });
    await imports.endpoint.close();
  });

  it('go to the new endpoint once it is changed, without losing a change or counting the failures of the old one', async () => {
    failWith(500);
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const other = await TestWebhook.create(world, alice);
    const respond = new Promise<ServerResponse>((begin) => (other.endpoint.respond = begin));
    await webhook.patch({ endpoint: other.endpoint.url }).expect(200);
    expect(await webhook.get()).toMatchObject({ failing_since: null });
    (await respond).end();
    expect(other.emails()).toEqual(['ada@example.com']);
    await other.endpoint.close();
  });

  it('are not sent to addresses that are not public', async () => {
    await webhook.patch({ endpoint: 'http://[::1]:9/' }).expect(422);
    await world.database.query(
      `UPDATE webhooks SET endpoint = 'http://[::1]:9/', version = version + 1 WHERE id = $1`,
      [webhook.id],
    );
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const [{ attempts }] = (await webhook.deliveries()) as [DeliveryRow];
    expect(attempts[0]).toMatchObject({
      http_status_code: 0,
      error: expect.stringContaining('WEBHOOK_ALLOWED_NETWORKS'),
    });
  });

  it('keep the first 2 kB of a response', async () => {
    webhook.endpoint.respond = (response) => response.writeHead(500).end('x\0'.repeat(5_000));
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    const [{ attempts }] = (await webhook.deliveries()) as [DeliveryRow];
    expect(attempts[0]!.response).toBe('x'.repeat(1_024));
  });

  it('are deleted after 30 days, unless they are pending', async () => {
    await add('ada@example.com');
    await webhook.hasRecorded(1);
    await world.database.query(
      `INSERT INTO webhook_deliveries (account_id, webhook_id, id, type, body, created_at, recorded_at, status, next_attempt_at)
      SELECT account_id, webhooks.id, gen_random_uuid(), 'webhook.test', '{}', now(), now() - interval '31 days', old.status, retry
      FROM webhooks, (
        VALUES ('success'::webhook_delivery_status, NULL::timestamptz), ('failed', NULL)
      ) AS old (status, retry), generate_series(1, 10500)
      WHERE webhooks.id = $1
      UNION ALL
      SELECT account_id, id, gen_random_uuid(), 'webhook.test', '{}', now(), now() - interval '31 days', 'pending'::webhook_delivery_status, now() + interval '1 day'
      FROM webhooks
      WHERE webhooks.id = $1`,
      [webhook.id],
    );
    // A run that a busy database interrupts leaves the rest to the next one.
    await until(async () => {
      await world.app.get(DeliverySweep).run();
      return (await webhook.deliveries()).length === 2;
    });
    const statuses = (await webhook.deliveries()).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(['pending', 'success']);
  });
});
