import { Resend } from 'resend';
import { createWorld, type World } from '../support/world.js';

describe('the official Resend client, for topics', () => {
  let world: World;
  let resend: Resend;
  beforeAll(async () => {
    world = await createWorld();
    resend = new Resend(world.alice, { baseUrl: world.url });
  });
  afterAll(() => world.close());

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
