import type { Scope } from '../../src/api-keys/scopes.js';
import { reportByPostmark } from '../support/facts.js';
import { createSource, postResend } from '../support/sources.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';
const CONSENT = { kind: 'recipient_request', reference: 'Case 4711' };

let world: World;
let alice: string;
beforeAll(async () => (world = await createWorld()));
beforeEach(async () => (alice = await createKey(world)));
afterAll(() => world.close());

const get = (contact: string, apiKey = alice) =>
  world.as(apiKey).get(`/contacts/${encodeURIComponent(contact)}`);
const create = (body: object, apiKey = alice) => world.as(apiKey).post('/contacts').send(body);
const update = (contact: string, body: object, apiKey = alice) =>
  world
    .as(apiKey)
    .patch(`/contacts/${encodeURIComponent(contact)}`)
    .send(body);
const state = async (contact: string) => (await get(contact).expect(200)).body;
const causes = async (email = ADA): Promise<string[]> => {
  const { body } = await world.as(alice).get(`/suppressions/${email}?include=causes`);
  return (body.causes ?? []).map(({ cause }: { cause: string }) => cause);
};
const history = async (email = ADA): Promise<Record<string, unknown>[]> =>
  (await world.as(alice).get(`/suppressions/${email}/history`)).body.data;
const createTopic = async (name: string): Promise<string> =>
  (await world.as(alice).post('/topics').send({ name, default_subscription: 'opt_in' }).expect(201)).body.id;
const choices = async (contact: string): Promise<string[]> =>
  (await world.as(alice).get(`/contacts/${contact}/topics`).expect(200)).body.data.map(
    ({ key, subscription }: Record<string, string>) => `${key} ${subscription}`,
  );
const guard = () => world.as(alice).patch('/account').send({ removal: 'guarded' }).expect(200);
const keyWith = async (...scopes: Scope[]) =>
  createKey(world, scopes, (await world.as(alice).get('/account')).body.name);

describe('POST /contacts', () => {
  it('returns an id, by which the contact and its topics are found', async () => {
    const { body } = await create({ email: 'Ada@Example.com', first_name: 'Ada', segments: ['x'] }).expect(
      201,
    );
    expect(body).toEqual({ object: 'contact', id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/) });
    const contact = {
      object: 'contact',
      id: body.id,
      email: ADA,
      first_name: null,
      last_name: null,
      created_at: expect.stringMatching(/^20.*Z$/),
      unsubscribed: false,
      properties: {},
    };
    expect(await state(body.id)).toEqual(contact);
    expect(await state(ADA)).toEqual(contact);
    const news = await createTopic('News');
    const path = `/contacts/${body.id}/topics`;
    await world
      .as(alice)
      .patch(path)
      .send([{ id: news, subscription: 'opt_out' }])
      .expect(200);
    expect(await choices(ADA)).toEqual(['news opt_out']);
  });

  it('returns the same contact again, however often and by whomever it is created', async () => {
    const created = await Promise.all(Array.from({ length: 10 }, () => create({ email: ADA }).expect(201)));
    const { created_at } = await state(ADA);
    await create({ email: ADA, unsubscribed: true }).expect(201);
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
    expect((await state(ADA)).created_at).toBe(created_at);
  });

  it('unsubscribes from everything and stores choices, once', async () => {
    await createTopic('News');
    const body = { email: ADA, unsubscribed: true, topics: [{ id: 'news', subscription: 'opt_out' }] };
    await create(body).expect(201);
    await create(body).expect(201);
    expect(await state(ADA)).toMatchObject({ unsubscribed: true });
    expect(await history()).toMatchObject([
      { action: 'added', cause: 'unsubscribe', actor: { type: 'api_key', name: 'alice' } },
      { action: 'opted_out', actor: { type: 'api_key', name: 'alice' } },
    ]);
  });

  it('ends neither an unsubscribe nor an opt-out, so that contacts can be copied here again', async () => {
    await createTopic('News');
    await createTopic('Offers');
    await create({ email: ADA, unsubscribed: true, topics: [{ id: 'news', subscription: 'opt_out' }] });
    const topics = ['news', 'offers'].map((id) => ({ id, subscription: 'opt_in' }));
    await create({ email: ADA, unsubscribed: false, topics }).expect(201);
    expect(await causes()).toEqual(['unsubscribe']);
    expect((await choices(ADA)).toSorted()).toEqual(['news opt_out', 'offers opt_in']);
  });

  it.each([
    [{}, 'email'],
    [{ email: 'nobody' }, 'email'],
    [{ email: ADA, unsubscribed: 'true' }, 'unsubscribed'],
    [{ email: ADA, unsubscribe: true }, 'unsubscribe'],
    [{ email: ADA, unsubscribed: true, note: 'By phone' }, 'note'],
    [{ email: ADA, unsubscribed: true, topics: {} }, 'topics'],
    [{ email: ADA, unsubscribed: true, topics: [{ id: 'news', subscription: 'no' }] }, 'topics[0]'],
  ])('refuses %j, and stores nothing', async (body, path) => {
    const response = await create(body).expect(400);
    expect(response.body.errors).toMatchObject([{ path }]);
    await get(ADA).expect(404);
  });

  it('stores nothing if a topic does not exist', async () => {
    const topics = [{ id: 'nothing', subscription: 'opt_out' }];
    await create({ email: ADA, unsubscribed: true, topics }).expect(404);
    await get(ADA).expect(404);
  });

  it.each([
    ['the unsubscribe', 'suppressions'],
    ['the id', 'contacts'],
  ])('stores nothing if %s cannot be stored', async (_, table) => {
    await createTopic('News');
    const body = { email: ADA, unsubscribed: true, topics: [{ id: 'news', subscription: 'opt_in' }] };
    const locked = await world.database.lock(table, 'EXCLUSIVE');
    const failed = create(body).then(({ status }) => status);
    await world.database.cancelWaiting();
    expect(await failed).toBe(503);
    await locked.release();
    await get(ADA).expect(404);
    await create(body).expect(201);
    expect(await state(ADA)).toMatchObject({ unsubscribed: true });
    expect(await choices(ADA)).toEqual(['news opt_in']);
  });

  it('can be repeated at the same time, with and without topics', async () => {
    await createTopic('News');
    const topics = [{ id: 'news', subscription: 'opt_out' }];
    const bodies = Array.from({ length: 12 }, (_, index) => ({
      email: ADA,
      unsubscribed: index % 3 > 0,
      topics: index % 2 > 0 ? topics : [],
    }));
    const statuses = await Promise.all(bodies.map(async (body) => (await create(body)).status));
    expect(statuses).toEqual(bodies.map(() => 201));
  });

  it('requires the scopes for suppressions, and for topics if it names some', async () => {
    await createTopic('News');
    await create({ email: ADA }, await keyWith('suppressions:read', 'topics:write')).expect(401);
    const writer = await keyWith('suppressions:write');
    const topics = [{ id: 'news', subscription: 'opt_out' }];
    const { body } = await create({ email: ADA, unsubscribed: true, topics }, writer).expect(401);
    expect(body).toMatchObject({ code: 'restricted_api_key' });
    await get(ADA).expect(404);
    await create({ email: ADA, topics: [] }, writer).expect(201);
  });
});

describe('an unsubscribe that a source has reported', () => {
  it.each([
    ['created', () => create({ email: ADA, unsubscribed: true }).expect(201)],
    ['updated', () => update(ADA, { unsubscribed: true }).expect(200)],
  ])('survives a resubscribe there if the contact was also %s as unsubscribed', async (_, repeat) => {
    const { body: account } = await world.as(alice).get('/account');
    const source = await createSource(world, 'postmark', { account: account.name });
    await reportByPostmark(world, source, 'unsubscribe', ADA);
    await repeat();
    await repeat();
    await reportByPostmark(world, source, 'resubscribe', ADA, { at: new Date(Date.now() + 1_000) });
    expect(await history()).toMatchObject([
      { action: 'cause_added', cause: 'unsubscribe', actor: { type: 'api_key' } },
      { action: 'added', cause: 'unsubscribe', actor: { type: 'source' } },
    ]);
    expect(await state(ADA)).toMatchObject({ unsubscribed: true });
  });
});

describe('GET /contacts/:contact', () => {
  it('does not find an address that nothing is known about, nor an id that nobody got', async () => {
    for (const contact of [ADA, UNKNOWN_ID]) {
      expect((await get(contact).expect(404)).body).toMatchObject({
        name: 'not_found',
        code: 'contact_not_found',
      });
    }
    await get('nobody').expect(400);
  });

  it.each([
    ['unsubscribe', true],
    ['bounce', false],
    ['complaint', false],
  ])('finds an address that a source reported for a %s, and then its id', async (type, unsubscribed) => {
    await world.as(alice).post('/events').send({ type, email: ADA, status: '5.1.1' }).expect(200);
    const contact = await state(ADA);
    expect(contact).toMatchObject({ email: ADA, unsubscribed });
    expect(contact.created_at).toBe((await history()).at(-1)!['created_at']);
    expect(await state(contact.id)).toEqual(contact);
    await world.as(alice).get(`/contacts/${contact.id}/topics`).expect(200);
  });

  it('finds an address that chose a topic, or is no longer suppressed', async () => {
    await createTopic('News');
    const { body } = await world
      .as(alice)
      .patch(`/contacts/${ADA}/topics`)
      .send([{ id: 'news', subscription: 'opt_out' }]);
    expect(await state(body.id)).toMatchObject({ id: body.id, email: ADA, unsubscribed: false });
    await suppress(world, alice, ['grace@example.com']);
    await world.as(alice).delete('/suppressions/grace@example.com').expect(200);
    expect(await state('grace@example.com')).toMatchObject({ unsubscribed: false });
  });

  it('is answered while the database is read-only, and registers the id later', async () => {
    await suppress(world, alice, [ADA]);
    await world.database.query(`
      CREATE FUNCTION be_read_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'read-only' USING ERRCODE = 'read_only_sql_transaction'; END
      $$;
      CREATE TRIGGER read_only BEFORE INSERT ON contacts EXECUTE FUNCTION be_read_only()`);
    const contact = await state(ADA);
    expect(contact).toMatchObject({ email: ADA, unsubscribed: false });
    await get(contact.id).expect(404);
    await create({ email: 'grace@example.com' }).expect(503);
    await world.database.query('DROP TRIGGER read_only ON contacts; DROP FUNCTION be_read_only');
    expect(await state(ADA)).toEqual(contact);
    expect(await state(contact.id)).toEqual(contact);
  });

  it('shows an unsubscribe next to stronger and weaker causes', async () => {
    await suppress(world, alice, [ADA]);
    await update(ADA, { unsubscribed: true }).expect(200);
    expect(await causes()).toEqual(['unsubscribe', 'manual']);
    await world.as(alice).post('/events').send({ type: 'complaint', email: ADA }).expect(200);
    expect(await state(ADA)).toMatchObject({ unsubscribed: true });
  });

  it('has no neighbours: contacts are neither listed nor deleted', async () => {
    await create({ email: ADA });
    for (const request of [world.as(alice).get('/contacts'), world.as(alice).delete(`/contacts/${ADA}`)]) {
      expect((await request.expect(405)).body).toMatchObject({ code: 'method_not_allowed' });
    }
  });
});

describe('PATCH /contacts/:contact', () => {
  it('unsubscribes an address that nothing is known about, and gives it an id', async () => {
    const { body } = await update(ADA, { unsubscribed: true }).expect(200);
    expect(body).toEqual({ object: 'contact', id: (await state(ADA)).id });
    expect(await state(body.id)).toMatchObject({ email: ADA, unsubscribed: true });
    const { body: checked } = await world
      .as(alice)
      .post('/suppressions/check')
      .send({ emails: [ADA] });
    expect(checked.data).toMatchObject([{ verdict: 'suppressed', decided_by: { cause: 'unsubscribe' } }]);
  });

  it('does not find an unknown id, and unsubscribes nobody', async () => {
    expect((await update(UNKNOWN_ID, { unsubscribed: true }).expect(404)).body).toMatchObject({
      code: 'contact_not_found',
    });
    expect((await world.as(alice).get('/suppressions')).body.data).toEqual([]);
  });

  it('lifts the unsubscribe and no other cause, by id and by address', async () => {
    const { body } = await create({ email: ADA, unsubscribed: true });
    await update(body.id, { unsubscribed: false }).expect(200);
    await update(body.id, { unsubscribed: false }).expect(200);
    expect(await causes()).toEqual([]);
    expect((await history()).map(({ action }) => action)).toEqual(['removed', 'added']);
    await suppress(world, alice, [ADA]);
    for (const type of ['bounce', 'complaint', 'unsubscribe']) {
      await world.as(alice).post('/events').send({ type, email: ADA, status: '5.1.1' }).expect(200);
    }
    await update(ADA, { unsubscribed: false }).expect(200);
    expect(await causes()).toEqual(['complaint', 'manual', 'bounce']);
    expect(await state(ADA)).toMatchObject({ unsubscribed: false });
  });

  it('stores a note of each change in the history', async () => {
    const account = (await world.as(alice).get('/account')).body.name;
    const source = await createSource(world, 'postmark', { account });
    await reportByPostmark(world, source, 'unsubscribe', ADA);
    for (const note of ['Asked on the phone', 'Asked again']) {
      await update(ADA, { unsubscribed: true, note }).expect(200);
    }
    await update(ADA, { unsubscribed: false, note: 'Changed her mind' }).expect(200);
    await update(ADA, { unsubscribed: true, note: 'Case 4712' }).expect(200);
    expect((await history()).map(({ action, note }) => [action, note])).toEqual([
      ['added', 'Case 4712'],
      ['removed', 'Changed her mind'],
      ['cause_added', 'Asked on the phone'],
      ['added', 'The recipient unsubscribed.'],
    ]);
    await update(ADA, { unsubscribed: true, note: 'n'.repeat(1_001) }).expect(400, /note/);
  });

  it('changes nothing without the field, whatever else the client sends', async () => {
    await create({ email: ADA, unsubscribed: true });
    const ignored = { first_name: 'Ada', last_name: null, properties: { a: 1 }, email: 'ADA@example.com' };
    await update(ADA, { ...ignored, unsubscribed: null }).expect(200);
    await update(ADA, { ...ignored, email: null }).expect(200);
    expect(await state(ADA)).toMatchObject({ unsubscribed: true, first_name: null, properties: {} });
  });

  it('refuses to change the address', async () => {
    const { body } = await update(ADA, { unsubscribed: true, email: 'grace@example.com' }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'email' }]);
    await get(ADA).expect(404);
  });

  it.each([
    [{ unsubscribed: 1 }, 'unsubscribed'],
    [{ unsubscribe: true }, 'unsubscribe'],
    [{ unsubscribed: false, consent: {} }, 'consent'],
    [{ unsubscribed: true, email: 'nobody' }, 'email'],
    [{ topics: [{ id: 'news', subscription: 'opt_out' }] }, 'topics'],
  ])('refuses %j', async (body, path) => {
    expect((await update(ADA, body).expect(400)).body.errors).toMatchObject([{ path }]);
    await get(ADA).expect(404);
  });

  it('requires a consent and a scope to lift an unsubscribe of a guarded account', async () => {
    await create({ email: ADA, unsubscribed: true });
    await suppress(world, alice, ['grace@example.com']);
    await guard();
    const writer = await keyWith('suppressions:write');
    const refused = [
      await update(ADA, { unsubscribed: false }),
      await update(ADA, { unsubscribed: false, consent: CONSENT }, writer),
    ];
    expect(refused).toMatchObject([
      { status: 403, body: { code: 'removal_not_allowed' } },
      { status: 403, body: { code: 'removal_not_allowed' } },
    ]);
    expect(await state(ADA)).toMatchObject({ unsubscribed: true });
    await update('grace@example.com', { unsubscribed: false }).expect(200);
    expect(await causes('grace@example.com')).toEqual(['manual']);
    await update(ADA, { unsubscribed: false, consent: CONSENT }).expect(200);
    expect((await history())[0]).toMatchObject({ action: 'removed', evidence: { consent: CONSENT } });
  });

  it('overrides what Resend reported before, and not what it reports later', async () => {
    const account = (await world.as(alice).get('/account')).body.name;
    const resend = await createSource(world, 'resend', { account });
    const report = (updated_at: string) =>
      postResend(world, resend, {
        type: 'contact.updated',
        data: { email: ADA, unsubscribed: true, updated_at },
      });
    await report('2026-01-01T00:00:00Z');
    await update(ADA, { unsubscribed: false }).expect(200);
    await report('2026-01-02T00:00:00Z');
    expect(await state(ADA)).toMatchObject({ unsubscribed: false });
    await report(new Date(Date.now() + 2_000).toISOString());
    expect(await state(ADA)).toMatchObject({ unsubscribed: true });
  });
});
