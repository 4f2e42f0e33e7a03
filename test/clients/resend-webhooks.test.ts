import { Resend, type WebhookEvent } from 'resend';
import { listen, type Endpoint, type ReceivedEvent } from '../support/servers/endpoint.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

describe('the official Resend client, for webhooks', () => {
  let world: World;
  let resend: Resend;
  let endpoint: Endpoint;
  beforeAll(async () => {
    world = await createWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
    resend = new Resend(world.alice, { baseUrl: world.url });
    endpoint = await listen();
  });
  afterAll(async () => {
    await world.close();
    await endpoint.close();
  });

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
