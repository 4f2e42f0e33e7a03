import { Resend } from 'resend';
import { LOOPBACK, TestWebhook } from '../support/webhooks.js';
import { createKey, createWorld, type World } from '../support/world.js';

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
});
