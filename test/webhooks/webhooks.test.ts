import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { Resend } from 'resend';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { DeadlineExceededError } from '../../src/database/errors.js';
import type { FeedService } from '../../src/feed/feed.service.js';
import { DeliverySweep } from '../../src/webhooks/delivery/delivery-deletion.js';
import { findPositionBefore } from '../../src/webhooks/position-before.js';
import { WebhookSecrets } from '../../src/webhooks/webhook-secrets.js';
import { WebhooksService } from '../../src/webhooks/webhooks.service.js';
import { runCommand } from '../support/command-line.js';
import { upload } from '../support/imports.js';
import type { ReceivedEvent } from '../support/servers/endpoint.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { type DeliveryRow, LOOPBACK, metricOf, TestWebhook } from '../support/webhooks.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const ENDPOINT = 'https://example.com/webhooks';

const EVENTS = ['suppression.added'];

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const word = (n: number): string => 'x'.repeat((n % 30) + 1) + 'y'.repeat(Math.floor(n / 30));

describe('webhooks', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const create = (body: object, apiKey = alice) => world.as(apiKey).post('/webhooks').send(body);

  it.each([
    ['no endpoint', { events: EVENTS }, 'endpoint'],
    ['an endpoint that is no URL', { endpoint: 'example.com', events: EVENTS }, 'endpoint'],
    ['another protocol', { endpoint: 'ftp://example.com', events: EVENTS }, 'endpoint'],
    ['a password', { endpoint: 'https://ada:secret@example.com', events: EVENTS }, 'endpoint'],
    ['a zone id', { endpoint: 'http://[fe80::1%25eth0]/', events: EVENTS }, 'endpoint'],
    ['a long endpoint', { endpoint: `https://example.com/${'x'.repeat(2_048)}`, events: EVENTS }, 'endpoint'],
    ['no events', { endpoint: ENDPOINT, events: [] }, 'events'],
    ['events that are no list', { endpoint: ENDPOINT, events: 'suppression.added' }, 'events'],
    ['an unknown event of ours', { endpoint: ENDPOINT, events: ['suppression.add'] }, 'events'],
    ['an unknown event of contacts', { endpoint: ENDPOINT, events: ['contact.topic.updated'] }, 'events'],
    ['an event that is no text', { endpoint: ENDPOINT, events: [null] }, 'events'],
    ['too many events', { endpoint: ENDPOINT, events: range(101).map((n) => `email.${word(n)}`) }, 'events'],
    ['events in a misspelled field', { endpoint: ENDPOINT, event: ['suppression.changed'] }, 'event'],
  ])('are not created with %s', async (_what, body, path) => {
    const { body: error } = await create(body).expect(400);
    expect(error).toMatchObject({ code: 'validation_error', errors: [{ path }] });
    expect((await world.as(alice).get('/webhooks')).body.data).toEqual([]);
  });

  it.each(['http://127.1/', 'https://[::ffff:10.0.0.1]/', 'http://localhost:8080/'])(
    'are neither created for nor moved to %s, which no event would reach',
    async (endpoint) => {
      const { body: refused } = await create({ endpoint, events: EVENTS }).expect(422);
      expect(refused).toMatchObject({ name: 'validation_error', code: 'endpoint_not_public' });
      expect((await world.as(alice).get('/webhooks')).body.data).toEqual([]);
      const { body } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
      await world.as(alice).patch(`/webhooks/${body.id}`).send({ endpoint }).expect(422);
      expect((await world.as(alice).get(`/webhooks/${body.id}`)).body.endpoint).toBe(ENDPOINT);
    },
  );

  it.each([
    ['are missing', {}],
    ['are null', { events: null, status: 'enabled' }],
  ])('receive the events of suppressions if the events %s', async (_how, body) => {
    const { body: created } = await create({ endpoint: ENDPOINT, ...body }).expect(201);
    const { body: webhook } = await world.as(alice).get(`/webhooks/${created.id}`).expect(200);
    expect(webhook).toMatchObject({
      events: ['suppression.added', 'suppression.removed'],
      unsent_events: [],
    });
  });

  it('may have events that only Resend sends, and list them as such', async () => {
    const unsent = ['email.bounced', 'contact.created', 'domain.deleted', 'inbox.thread.folder.updated'];
    const { body } = await create({ endpoint: ENDPOINT, events: [...unsent, ...EVENTS] }).expect(201);
    const listed = { events: [...unsent, ...EVENTS], unsent_events: unsent };
    expect((await world.as(alice).get(`/webhooks/${body.id}`)).body).toMatchObject(listed);
    expect((await world.as(alice).get('/webhooks')).body.data).toMatchObject([listed]);
    await world.as(alice).patch(`/webhooks/${body.id}`).send({ events: unsent }).expect(200);
    expect((await world.as(alice).get(`/webhooks/${body.id}`)).body.events).toEqual(unsent);
  });

  it('are changed only in what is sent', async () => {
    const { body } = await create({ endpoint: ENDPOINT, events: [...EVENTS, ...EVENTS] }).expect(201);
    await world.as(alice).patch(`/webhooks/${body.id}`).send({ status: 'paused' }).expect(400);
    await world.as(alice).patch(`/webhooks/${body.id}`).send({ events: [] }).expect(400);
    await world.as(alice).patch(`/webhooks/${body.id}`).send({ statos: 'disabled' }).expect(400);
    await world.as(alice).patch(`/webhooks/${body.id}`).send({}).expect(200);
    const nothing = { endpoint: null, events: null, status: null };
    await world.as(alice).patch(`/webhooks/${body.id}`).send(nothing).expect(200);
    const { body: webhook } = await world.as(alice).get(`/webhooks/${body.id}`).expect(200);
    expect(webhook).toMatchObject({ endpoint: ENDPOINT, events: EVENTS, status: 'enabled' });
  });

  it('of all accounts are disabled by a command, with an entry in the audit log of each', async () => {
    const disable = (...options: string[]) =>
      runCommand(['webhook', 'disable', ...options], { DATABASE_URL: world.database.url }, tmpdir());
    const keys = [alice, await createKey(world)];
    for (const key of keys) {
      await create({ endpoint: ENDPOINT, events: EVENTS }, key).expect(201);
    }
    expect(await disable('--yes')).toMatchObject({ code: 2, problems: [expect.stringContaining('--all')] });
    const question = ['Nothing was changed. Confirm with --yes.'];
    expect(await disable('--all')).toMatchObject({ code: 2, problems: question });
    const { stdout } = await disable('--all', '--yes', '--json');
    expect(JSON.parse(stdout).disabled).toBeGreaterThanOrEqual(2);
    for (const key of keys) {
      const { data } = (await world.as(key).get('/webhooks').expect(200)).body;
      expect(data).toMatchObject([{ status: 'disabled' }]);
      const { body } = await world.as(key).get('/audit-log').query({ limit: 1 }).expect(200);
      const changes = { status: { from: 'enabled', to: 'disabled' } };
      expect(body.data).toMatchObject([{ action: 'webhook.updated', actor: { type: 'cli' }, changes }]);
    }
    expect((await disable('--all', '--yes')).stdout).toBe('Disabled 0 webhooks.\n');
  });

  it('are limited to 200', async () => {
    const { body } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
    await world.database.query(
      `INSERT INTO webhooks (account_id, id, endpoint, events, signing_secrets, position)
      SELECT account_id, gen_random_uuid(), endpoint, events, signing_secrets, position
      FROM webhooks, generate_series(1, 199)
      WHERE id = $1`,
      [body.id],
    );
    const refused = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(409);
    expect(refused.body).toMatchObject({ code: 'too_many_webhooks' });
    await world.database.query('DELETE FROM webhooks');
  });

  it('need a key to encrypt their secrets', async () => {
    const { url, close } = await startTestApp(world.database.url, { SECRETS_KEY: '' });
    const response = await fetch(`${url}/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${alice}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ endpoint: ENDPOINT, events: EVENTS }),
    });
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'secrets_key_missing' }]);
    await close();
  });

  it('keep their secrets encrypted, even when the key changes', async () => {
    const { body } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
    const stored = async () =>
      JSON.stringify(await world.database.query('SELECT * FROM webhooks WHERE id = $1', [body.id]));
    expect(await stored()).not.toContain(body.signing_secret.slice('whsec_'.length));
    const SECRETS_KEY = 'b6'.repeat(32);
    const SECRETS_KEY_PREVIOUS = 'a5'.repeat(32);
    const before = await stored();
    const both = await startTestApp(world.database.url, { SECRETS_KEY, SECRETS_KEY_PREVIOUS });
    expect(await both.app.get(WebhookSecrets).reencrypt()).toBeGreaterThan(0);
    expect(await both.app.get(WebhookSecrets).reencrypt()).toBe(0);
    await both.close();
    expect(await stored()).not.toBe(before);
    const current = await startTestApp(world.database.url, { SECRETS_KEY });
    const [{ account_id }] = (await world.database.query<{ account_id: number }>(
      'SELECT account_id FROM webhooks WHERE id = $1',
      [body.id],
    )) as [{ account_id: number }];
    const found = await current.app.get(WebhooksService).get(account_id, body.id);
    expect(found.signingSecret).toBe(body.signing_secret);
    await current.close();
  });

  it('are deleted with all their deliveries, even more than one statement deletes', async () => {
    const { body } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
    await world.database.query(
      `INSERT INTO webhook_deliveries (account_id, webhook_id, id, type, body, created_at, recorded_at, status)
      SELECT account_id, id, gen_random_uuid(), 'webhook.test', '{}', now(), now(), 'success'
      FROM webhooks, generate_series(1, 5001)
      WHERE id = $1`,
      [body.id],
    );
    await world.as(alice).delete(`/webhooks/${body.id}`).expect(200);
    await world.as(alice).get(`/webhooks/${body.id}`).expect(404);
  });

  it('are not found by a test that waits for their deletion', async () => {
    const { body } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
    let tested: Promise<number> | undefined;
    await world.app.get(DataSource).transaction(async (transaction) => {
      await transaction.query('DELETE FROM webhooks WHERE id = $1', [body.id]);
      tested = world
        .as(alice)
        .post(`/webhooks/${body.id}/test`)
        .then(({ status }) => status);
      await world.database.untilWaiting();
    });
    expect(await tested).toBe(404);
  });

  it('need the scope webhooks:write', async () => {
    const reader = await createKey(world, ['suppressions:write', 'events:write']);
    const { body } = await world.as(reader).get('/webhooks').expect(401);
    expect(body).toMatchObject({ code: 'restricted_api_key' });
  });

  it('are not found by another account, nor are their events', async () => {
    const { body } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
    const { body: event } = await world.as(alice).post(`/webhooks/${body.id}/test`).expect(202);
    const stranger = world.as(await createKey(world));
    const since = '2026-01-15T09:00:00Z';
    const requests = [
      stranger.get(`/webhooks/${body.id}`),
      stranger.patch(`/webhooks/${body.id}`).send({ status: 'disabled' }),
      stranger.delete(`/webhooks/${body.id}`),
      stranger.post(`/webhooks/${body.id}/signing-secret/rotate`),
      stranger.post(`/webhooks/${body.id}/test`),
      stranger.post(`/webhooks/${body.id}/replay`).send({ since }),
      stranger.get(`/webhooks/${body.id}/deliveries`),
      stranger.get(`/webhooks/${body.id}/events`),
      stranger.get(`/webhooks/${body.id}/events/${event.id}`),
      stranger.get(`/webhooks/${body.id}/events/${event.id}/attempts`),
      stranger.post(`/webhooks/${body.id}/events/${event.id}/replay`),
    ];
    for (const refused of requests) {
      expect((await refused).body).toMatchObject({ code: 'webhook_not_found' });
    }
    expect((await stranger.get('/webhooks')).body.data).toEqual([]);
    expect((await world.as(alice).get(`/webhooks/${body.id}`)).body.status).toBe('enabled');
  });

  it.each(['nonsense', '0198a5f6-4a10-7d2c-9b01-5c6d7e8f9a0b'])('have no event %s', async (id) => {
    const { body } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
    const { body: error } = await world.as(alice).get(`/webhooks/${body.id}/events/${id}`).expect(404);
    expect(error).toMatchObject({ code: 'webhook_event_not_found' });
    await world.as(alice).get(`/webhooks/${id}`).expect(404);
  });

  it.each([{}, { since: 'yesterday' }, { since: '2026-01-15T09:00:00Z', until: 'now' }])(
    'are not replayed with %j',
    async (body) => {
      const { body: webhook } = await create({ endpoint: ENDPOINT, events: EVENTS }).expect(201);
      await world.as(alice).post(`/webhooks/${webhook.id}/replay`).send(body).expect(400);
    },
  );
});

const ADA = 'ada@example.com';

describe("webhooks for topics, in Resend's format", () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld(LOOPBACK)));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const create = async (name: string, apiKey = alice): Promise<string> =>
    (await world.as(apiKey).post('/topics').send({ name, default_subscription: 'opt_in' }).expect(201)).body
      .id;
  /** As the official client verifies and parses them. */
  const received = ({ endpoint, signingSecret }: TestWebhook) =>
    endpoint.received.map(({ headers, body }) =>
      new Resend('key').webhooks.verify({
        payload: body,
        headers: {
          id: String(headers['svix-id']),
          timestamp: String(headers['svix-timestamp']),
          signature: String(headers['svix-signature']),
        },
        webhookSecret: signingSecret,
      }),
    );

  it('announce that a topic was created, updated, archived, and restored, once for each change', async () => {
    const webhook = await TestWebhook.create(world, alice, [
      'topic.created',
      'topic.updated',
      'topic.deleted',
    ]);
    await create('Of another account', world.charlie);
    const id = await create('News');
    await world
      .as(alice)
      .post('/topics')
      .send({ name: 'x', key: 'news', default_subscription: 'opt_in' })
      .expect(409);
    await webhook.receives(1);
    await world.as(alice).patch('/topics/news').send({ name: 'News' }).expect(200);
    await world.as(alice).patch('/topics/news').send({ description: 'Monthly' }).expect(200);
    await webhook.receives(2);
    await world.as(alice).delete('/topics/news').expect(200);
    await webhook.receives(3);
    await world.as(alice).post(`/topics/${id}/restore`).expect(200);
    await world.as(alice).post(`/topics/${id}/restore`).expect(200);
    await webhook.receives(4);
    const { created_at } = (await world.as(alice).get(`/topics/${id}`)).body;
    const time = expect.stringMatching(/^20.*Z$/);
    const event = (type: string, changes: object) => ({
      type,
      created_at: time,
      data: {
        id,
        name: 'News',
        description: 'Monthly',
        default_subscription: 'opt_in',
        deleted: false,
        created_at,
        updated_at: time,
        ...changes,
      },
    });
    expect(received(webhook)).toEqual([
      event('topic.created', { description: null }),
      event('topic.updated', {}),
      event('topic.deleted', { deleted: true }),
      event('topic.created', {}),
    ]);
    expect(await webhook.deliveries()).toHaveLength(4);
    await webhook.endpoint.close();
  });

  it('that are being deleted do not keep a topic from being created', async () => {
    const webhook = await TestWebhook.create(world, alice, ['topic.created']);
    let created: Promise<string> | undefined;
    await world.app.get(DataSource).transaction(async (transaction) => {
      await transaction.query('DELETE FROM webhooks WHERE id = $1', [webhook.id]);
      created = create('News');
      await world.database.untilWaiting();
    });
    await created;
    await webhook.endpoint.close();
  });

  it("announce a recipient's choices, one event for each topic, before the same change in our own format", async () => {
    const webhook = await TestWebhook.create(world, alice, ['contact.topics.updated', 'preference.changed']);
    const [news, offers] = [await create('News'), await create('Offers')];
    const choose = (topics: object[]) =>
      world.as(alice).patch(`/contacts/${ADA}/topics`).send(topics).expect(200);
    await choose([
      { id: news, subscription: 'opt_out' },
      { id: offers, subscription: 'opt_out' },
    ]);
    await choose([{ id: news, subscription: 'opt_out' }]);
    await choose([{ id: 'news', subscription: 'opt_in' }]);
    await webhook.receives(6);
    expect(webhook.endpoint.types()).toEqual(
      Array(3).fill(['contact.topics.updated', 'preference.changed']).flat(),
    );
    const topics = received(webhook).flatMap((event) => {
      if (event.type !== 'contact.topics.updated') {
        return [];
      }
      expect(event.data.email).toBe(ADA);
      return event.data.topics;
    });
    expect(topics.slice(0, 2).toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
      { id: news, subscription: 'opt_out' },
      { id: offers, subscription: 'opt_out' },
    ]);
    expect(topics.slice(2)).toEqual([{ id: news, subscription: 'opt_in' }]);
    await webhook.endpoint.close();
  });

  it('keep the two events of a choice in order while the endpoint fails', async () => {
    const webhook = await TestWebhook.create(world, alice, ['contact.topics.updated', 'preference.changed']);
    webhook.endpoint.respond = (response) => response.writeHead(500).end();
    const id = await create('News');
    await world
      .as(alice)
      .patch(`/contacts/${ADA}/topics`)
      .send([{ id, subscription: 'opt_out' }])
      .expect(200);
    await webhook.hasRecorded(1);
    expect(webhook.endpoint.types()).toEqual(['contact.topics.updated']);
    webhook.endpoint.respond = (response) => response.writeHead(204).end();
    await webhook.skipWaiting();
    await webhook.receives(3);
    expect(webhook.endpoint.types().slice(1)).toEqual(['contact.topics.updated', 'preference.changed']);
    await webhook.endpoint.close();
  });

  it('keep the two events of an erasure in order while the endpoint fails', async () => {
    const webhook = await TestWebhook.create(world, alice, ['suppression.removed', 'contact.erased']);
    webhook.endpoint.respond = (response) => response.writeHead(500).end();
    await suppress(world, alice, [ADA]);
    await world
      .as(alice)
      .post(`/contacts/${ADA}/erase`)
      .send({ keep_block: false, accept_may_be_mailed_again: true, reference: 'Case 4711' });
    await webhook.hasRecorded(1);
    webhook.endpoint.respond = (response) => response.writeHead(204).end();
    await webhook.receives(3);
    expect(webhook.endpoint.types()).toEqual([
      'suppression.removed',
      'suppression.removed',
      'contact.erased',
    ]);
    await webhook.endpoint.close();
  });
});

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

  it('do not count an event as unserved while an earlier one waits for its retry', async () => {
    await webhook.patch({ events: ['suppression.added', 'suppression.changed'] }).expect(200);
    webhook.endpoint.respond = (response) => response.writeHead(500).end();
    await suppress(world, world.alice, ['ada@example.com']);
    await webhook.hasRecorded(1);
    await until(async () => (await metricOf(world, 's_held')) === 0);
    await world.database.query(
      `UPDATE webhook_deliveries
      SET next_attempt_at = now() + CASE tries WHEN 0 THEN interval '-1 minute' ELSE interval '5 minutes' END`,
    );
    expect(await metricOf(world, 's_failing')).toBe(1);
    expect(await metricOf(world, 's_unserved')).toBe(0);
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
