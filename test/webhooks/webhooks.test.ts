import { tmpdir } from 'node:os';
import { runCommand } from '../support/command-line.js';
import { startTestApp } from '../support/test-app.js';
import { createKey, createWorld, type World } from '../support/world.js';
import { WebhookSecrets } from '../../src/webhooks/webhook-secrets.js';
import { WebhooksService } from '../../src/webhooks/webhooks.service.js';

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
    for (const request of requests) {
      expect((await request).body).toMatchObject({ code: 'webhook_not_found' });
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
