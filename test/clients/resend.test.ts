import { Resend } from 'resend';
import { createWorld, setCause, type World } from '../support/world.js';

/** The official client, as its users have it: only the base URL is ours. */
describe('the official Resend client', () => {
  let world: World;
  let resend: Resend;
  beforeAll(async () => {
    world = await createWorld();
    resend = new Resend(world.alice, { baseUrl: world.url });
  });
  afterAll(() => world.close());

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
