import { Resend, type WebhookEvent } from 'resend';
import { type Endpoint, listen, type ReceivedEvent } from '../support/servers/endpoint.js';
import { until } from '../support/until.js';
import { createWorld, setCause, withNewAccounts, type World } from '../support/world.js';

let service: World;
beforeAll(async () => (service = await createWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })));
afterAll(() => service.close());

/** The official client, as its users have it: only the base URL is ours. */
describe('the official Resend client', () => {
  let world: World;
  let resend: Resend;
  beforeAll(async () => {
    world = await withNewAccounts(service);
    resend = new Resend(world.alice, { baseUrl: world.url });
  });

  it('adds a batch and gets its records by id and by address', async () => {
    const added = await resend.suppressions.batch.add({
      emails: ['steve+tag@example.com', 'bill@example.com'],
    });
    expect(added.error).toBeNull();
    expect(added.data!.data).toHaveLength(2);
    const byId = await resend.suppressions.get(added.data!.data[0]!.id);
    const byAddress = await resend.suppressions.get('Steve+Tag@example.com');
    expect(byId.data).toMatchObject({
      object: 'suppression',
      email: 'steve+tag@example.com',
      origin: 'manual',
    });
    expect(byAddress.data).toEqual(byId.data);
  });

  it('adds and removes an address', async () => {
    const added = await resend.suppressions.add({ email: 'one@example.com' });
    const removed = await resend.suppressions.remove('one@example.com');
    expect(removed.data).toEqual({ object: 'suppression', id: added.data!.id, deleted: true });
    const again = await resend.suppressions.remove(added.data!.id);
    expect(again.error).toMatchObject({ name: 'not_found', statusCode: 404 });
  });

  it('reaches operations that it has no methods for', async () => {
    await resend.suppressions.add({ email: 'asked@example.com' });
    const checked = await resend.post<{ data: { verdict: string }[] }>('/suppressions/check', {
      emails: ['asked@example.com', 'new@example.com'],
    });
    expect(checked.data!.data).toMatchObject([{ verdict: 'suppressed' }, { verdict: 'send' }]);
    const changes = await resend.get<{ object: string }>('/changes?limit=1');
    expect(changes.data).toMatchObject({ object: 'list' });
    const refused = await resend.post('/suppressions/check', { emails: [] });
    expect(refused.error).toMatchObject({ name: 'validation_error', statusCode: 400 });
  });

  it('lists with every option it has', async () => {
    const { data } = await resend.suppressions.batch.add({
      emails: ['l1@example.com', 'l2@example.com', 'l3@example.com'],
    });
    await setCause(world, data!.data[0]!.id, 'complaint', '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11');
    const complaints = await resend.suppressions.list({ origin: 'complaint' });
    expect(complaints.data).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ email: 'l1@example.com' }],
    });
    const first = await resend.suppressions.list({ limit: 2 });
    const second = await resend.suppressions.list({ limit: 2, after: first.data!.data[1]!.id });
    const back = await resend.suppressions.list({ limit: 2, before: second.data!.data[0]!.id });
    expect(back.data!.data).toEqual(first.data!.data);
  });

  it('removes a batch by addresses and by ids', async () => {
    const added = await resend.suppressions.batch.add({ emails: ['r1@example.com', 'r2@example.com'] });
    const [first, second] = added.data!.data;
    const byEmail = await resend.suppressions.batch.remove({ emails: ['r1@example.com'] });
    expect(byEmail.data!.data).toEqual([{ object: 'suppression', id: first!.id, deleted: true }]);
    const byId = await resend.suppressions.batch.remove({ ids: [first!.id, second!.id] });
    expect(byId.data!.data).toEqual([{ object: 'suppression', id: second!.id, deleted: true }]);
  });

  it('reads our errors', async () => {
    const noSuch = await resend.suppressions.get('nobody@example.com');
    expect(noSuch).toMatchObject({ data: null, error: { name: 'not_found', statusCode: 404 } });
    const bad = await resend.suppressions.batch.add({ emails: ['nobody'] });
    expect(bad.error).toMatchObject({
      name: 'validation_error',
      statusCode: 400,
      message: 'emails[0] must contain an @.',
    });
    const stranger = new Resend('re_123', { baseUrl: world.url });
    const refused = await stranger.suppressions.list();
    expect(refused.error).toMatchObject({ name: 'invalid_api_key', statusCode: 403 });
    const reader = new Resend(world.bob, { baseUrl: world.url });
    const restricted = await reader.suppressions.add({ email: 'a@example.com' });
    expect(restricted.error).toMatchObject({ name: 'restricted_api_key', statusCode: 401 });
  });
});

describe('the official Resend client, for contacts', () => {
  let world: World;
  let resend: Resend;
  beforeAll(async () => {
    world = await withNewAccounts(service);
    resend = new Resend(world.alice, { baseUrl: world.url });
  });

  it('creates, gets, and updates, by address and by id', async () => {
    const created = await resend.contacts.create({
      email: 'ada+news@example.com',
      firstName: 'Ada',
      unsubscribed: false,
      properties: { plan: 'free' },
    });
    const id = created.data!.id;
    expect(created.data).toEqual({ object: 'contact', id });
    const updated = await resend.contacts.update({ email: 'ada+news@example.com', unsubscribed: true });
    expect(updated.data).toEqual({ object: 'contact', id });
    const got = await resend.contacts.get({ id });
    expect(got.data).toMatchObject({ id, email: 'ada+news@example.com', unsubscribed: true });
    await resend.contacts.update({ id, lastName: 'Lovelace' });
    await resend.contacts.create({ email: 'ada+news@example.com', unsubscribed: false });
    expect((await resend.contacts.get('ada+news@example.com')).data).toMatchObject({ unsubscribed: true });
    await resend.contacts.update({ id, unsubscribed: false });
    expect((await resend.contacts.get({ email: 'ada+news@example.com' })).data).toMatchObject({
      unsubscribed: false,
    });
    const suppression = await resend.suppressions.get('ada+news@example.com');
    expect(suppression.error).toMatchObject({ name: 'not_found' });
  });

  it('creates one with topics', async () => {
    const { data: topic } = await resend.topics.create({ name: 'Offers', defaultSubscription: 'opt_in' });
    const topics = [{ id: topic!.id, subscription: 'opt_out' as const }];
    const { data } = await resend.contacts.create({ email: 'grace@example.com', topics });
    const listed = await resend.contacts.topics.list({ id: data!.id });
    expect(listed.data!.data).toMatchObject(topics);
  });

  it('gets the errors that it knows, even for what the service does not offer', async () => {
    expect((await resend.contacts.get('nobody@example.com')).error).toMatchObject({ name: 'not_found' });
    for (const { data, error } of [
      await resend.contacts.list(),
      await resend.contacts.remove('ada+news@example.com'),
    ]) {
      expect(data).toBeNull();
      expect(error).toMatchObject({ name: 'method_not_allowed', statusCode: 405 });
    }
    const audience = await resend.contacts.get({ audienceId: 'a', email: 'ada+news@example.com' });
    expect(audience.data).toBeNull();
    expect(audience.error!.name).not.toBe('not_found');
  });
});

describe('the official Resend client, for topics', () => {
  let world: World;
  let resend: Resend;
  beforeAll(async () => {
    world = await withNewAccounts(service);
    resend = new Resend(world.alice, { baseUrl: world.url });
  });

  it('creates, gets, updates, lists and removes', async () => {
    const created = await resend.topics.create({
      name: 'News',
      description: 'Monthly',
      defaultSubscription: 'opt_in',
    });
    const { id } = created.data!;
    const updated = await resend.topics.update({ id, name: 'Letter' });
    expect(updated.data).toEqual({ object: 'topic', id });
    const got = await resend.topics.get(id);
    expect(got.data).toMatchObject({
      id,
      name: 'Letter',
      description: 'Monthly',
      default_subscription: 'opt_in',
      created_at: expect.any(String),
    });
    const listed = await resend.topics.list();
    expect(listed.data!.data).toMatchObject([{ id, name: 'Letter' }]);
    const removed = await resend.topics.remove(id);
    expect(removed.data).toEqual({ object: 'topic', id, deleted: true });
    const gone = await resend.topics.get(id);
    expect(gone.error).toMatchObject({ name: 'not_found', statusCode: 404 });
  });

  it('sets and lists the topics of a contact, by address and by id', async () => {
    const { data: topic } = await resend.topics.create({ name: 'Offers', defaultSubscription: 'opt_in' });
    const topics = [{ id: topic!.id, subscription: 'opt_out' as const }];
    const set = await resend.contacts.topics.update({ email: 'ada+news@example.com', topics });
    expect(set.error).toBeNull();
    const byEmail = await resend.contacts.topics.list({ email: 'ada+news@example.com', limit: 10 });
    expect(byEmail.data).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ id: topic!.id, name: 'Offers', description: null, subscription: 'opt_out' }],
    });
    const byId = await resend.contacts.topics.list({ id: set.data!.id });
    expect(byId.data).toEqual(byEmail.data);
  });

  it('reads our errors', async () => {
    const bad = await resend.topics.create({ name: '', defaultSubscription: 'opt_in' });
    expect(bad.error).toMatchObject({ name: 'validation_error', statusCode: 400 });
    const reader = new Resend(world.bob, { baseUrl: world.url });
    const refused = await reader.topics.list();
    expect(refused.error).toMatchObject({ name: 'restricted_api_key', statusCode: 401 });
  });
});

describe('the official Resend client, for webhooks', () => {
  let world: World;
  let resend: Resend;
  let endpoint: Endpoint;
  beforeAll(async () => {
    world = await withNewAccounts(service);
    resend = new Resend(world.alice, { baseUrl: world.url });
    endpoint = await listen();
  });
  afterAll(() => endpoint.close());

  const create = async () => {
    const { data } = await resend.webhooks.create({
      endpoint: endpoint.url,
      events: ['suppression.added', 'suppression.removed'],
    });
    return data!;
  };
  const verify = ({ headers, body }: ReceivedEvent, webhookSecret: string, prefix: 'svix' | 'webhook') =>
    resend.webhooks.verify({
      payload: body,
      headers: {
        id: String(headers[`${prefix}-id`]),
        timestamp: String(headers[`${prefix}-timestamp`]),
        signature: String(headers[`${prefix}-signature`]),
      },
      webhookSecret,
    });

  it('creates one, whose endpoint receives an added and a removed event that the client verifies', async () => {
    const { id, signing_secret } = await create();
    expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const added = await resend.suppressions.add({ email: 'ada@example.com' });
    const suppression = await resend.suppressions.get('ada@example.com');
    await resend.suppressions.remove('ada@example.com');
    await until(() => endpoint.received.length === 2);

    const data = {
      id: added.data!.id,
      email: 'ada@example.com',
      origin: 'manual',
      source_id: null,
      created_at: suppression.data!.created_at,
    };
    const events = endpoint.received.map((event) => verify(event, signing_secret, 'svix'));
    expect(events).toEqual([
      { type: 'suppression.added', created_at: expect.stringMatching(/Z$/), data },
      { type: 'suppression.removed', created_at: expect.stringMatching(/Z$/), data },
    ]);
    expect(endpoint.received.map((event) => verify(event, signing_secret, 'webhook'))).toEqual(events);
    expect(() => verify(endpoint.received[0]!, `whsec_${'A'.repeat(43)}=`, 'svix')).toThrow();
    await resend.webhooks.remove(id);
  });

  it('subscribes to all events that it knows, and receives those that are sent', async () => {
    const groups: Record<string, string[]> = {
      email: ['sent', 'delivered', 'delivery_delayed', 'bounced', 'complained', 'opened', 'clicked'],
      contact: ['created', 'updated', 'deleted', 'topics.updated'],
      domain: ['created', 'updated', 'deleted'],
      topic: ['created', 'updated', 'deleted'],
      inbox: ['created', 'thread.labels.updated', 'draft.sent'],
      suppression: ['added', 'removed'],
    };
    const events = Object.entries(groups).flatMap(([group, names]) =>
      names.map((name) => `${group}.${name}` as WebhookEvent),
    );
    const { data, error } = await resend.webhooks.create({ endpoint: endpoint.url, events });
    expect(error).toBeNull();
    expect((await resend.webhooks.get(data!.id)).data).toMatchObject({ events });
    const before = endpoint.received.length;
    await resend.suppressions.add({ email: 'barbara@example.com' });
    await until(() => endpoint.received.length > before);
    expect(verify(endpoint.received.at(-1)!, data!.signing_secret, 'svix')).toMatchObject({
      type: 'suppression.added',
      data: { email: 'barbara@example.com' },
    });
    await resend.webhooks.remove(data!.id);
  });

  it('gets, lists, updates and removes', async () => {
    const { id, signing_secret } = await create();
    const got = await resend.webhooks.get(id);
    expect(got.data).toMatchObject({
      object: 'webhook',
      id,
      endpoint: endpoint.url,
      events: ['suppression.added', 'suppression.removed'],
      status: 'enabled',
      signing_secret,
      created_at: expect.any(String),
    });
    const second = await create();
    const listed = await resend.webhooks.list({ limit: 1 });
    expect(listed.data).toMatchObject({ object: 'list', has_more: true, data: [{ id: second.id }] });
    expect(listed.data!.data[0]).not.toHaveProperty('signing_secret');
    const rest = await resend.webhooks.list({ after: second.id });
    expect(rest.data!.data.map((webhook) => webhook.id)).toEqual([id]);

    const updated = await resend.webhooks.update(id, { status: 'disabled', events: ['suppression.added'] });
    expect(updated.data).toEqual({ object: 'webhook', id });
    const changed = await resend.webhooks.get(id);
    expect(changed.data).toMatchObject({
      status: 'disabled',
      disabled_reason: 'requested',
      events: ['suppression.added'],
    });
    const removed = await resend.webhooks.remove(id);
    expect(removed.data).toEqual({ object: 'webhook', id, deleted: true });
    const gone = await resend.webhooks.get(id);
    expect(gone.error).toMatchObject({ name: 'not_found', statusCode: 404 });
    await resend.webhooks.remove(second.id);
  });

  it('rotates the signing secret; both secrets verify', async () => {
    const { id, signing_secret: old } = await create();
    const rotated = await resend.webhooks.rotateSigningSecret(id);
    expect(rotated.data).toMatchObject({ object: 'webhook', id });
    const { signing_secret } = rotated.data!;
    expect(signing_secret).not.toBe(old);
    const before = endpoint.received.length;
    await resend.suppressions.add({ email: 'grace@example.com' });
    await until(() => endpoint.received.length > before);
    const event = endpoint.received.at(-1)!;
    expect(verify(event, old, 'svix')).toEqual(verify(event, signing_secret, 'svix'));
    await resend.webhooks.remove(id);
  });

  it('reads the log of events and attempts, and replays an event', async () => {
    const { id: webhookId } = await create();
    await resend.suppressions.add({ email: 'edsger@example.com' });
    const firstEvent = async () => (await resend.webhooks.events.list({ webhookId, limit: 5 })).data!.data[0];
    await until(async () => (await firstEvent())?.status === 'success');
    const { id: eventId } = (await firstEvent())!;

    const event = await resend.webhooks.events.get({ webhookId, eventId });
    const sent = endpoint.received.at(-1)!;
    expect(event.data).toEqual({
      object: 'webhook_event',
      id: sent.id,
      type: 'suppression.added',
      status: 'success',
      created_at: sent.payload.created_at,
      next_attempt_at: null,
      payload: sent.payload,
    });
    const attempts = () => resend.webhooks.events.attempts.list({ webhookId, eventId });
    expect((await attempts()).data!.data).toMatchObject([{ http_status_code: 200, response: 'thank you' }]);

    const replayed = await resend.webhooks.events.replay({ webhookId, eventId });
    expect(replayed.data).toEqual({ object: 'webhook_event', id: eventId });
    await until(async () => (await attempts()).data!.data.length === 2);
    expect(endpoint.received.at(-1)).toMatchObject({ id: eventId, body: sent.body });
    const newest = (await attempts()).data!.data[0]!;
    const older = await resend.webhooks.events.attempts.list({ webhookId, eventId, after: newest.id });
    expect(older.data!.data).toHaveLength(1);
    await resend.webhooks.remove(webhookId);
  });

  it('reads our errors', async () => {
    const bad = await resend.webhooks.create({
      endpoint: 'ftp://example.com',
      events: ['suppression.added'],
    });
    expect(bad.error).toMatchObject({ name: 'validation_error', statusCode: 400 });
    const misspelled = 'suppression.add' as WebhookEvent;
    const unknown = await resend.webhooks.create({ endpoint: endpoint.url, events: [misspelled] });
    expect(unknown.error).toMatchObject({
      name: 'validation_error',
      message: expect.stringMatching(/^events must be a list of one or more of suppression\.added, /),
    });
    const reader = new Resend(world.bob, { baseUrl: world.url });
    expect((await reader.webhooks.list()).error).toMatchObject({
      name: 'restricted_api_key',
      statusCode: 401,
    });
  });
});
