import { Resend } from 'resend';
import { createWorld, type World } from '../support/world.js';

describe('the official Resend client, for contacts', () => {
  let world: World;
  let resend: Resend;
  beforeAll(async () => {
    world = await createWorld();
    resend = new Resend(world.alice, { baseUrl: world.url });
  });
  afterAll(() => world.close());

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
