import { PUBLIC_URL, tokenFor, verdictOn } from '../support/recipients.js';
import { createKey, createWorld, type World } from '../support/world.js';

const UUID = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';

describe('topics', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const create = async (body: object): Promise<string> => {
    const response = await world.as(alice).post('/topics').send(body).expect(201);
    expect(response.body).toEqual({ object: 'topic', id: expect.any(String) });
    return response.body.id;
  };
  const news = (more: object = {}) => ({ name: 'News', default_subscription: 'opt_in', ...more });
  const get = (ref: string) => world.as(alice).get(`/topics/${ref}`);

  it('are created private and without a description, with a key made from the name', async () => {
    const id = await create({ name: 'Épices & Thé!', default_subscription: 'opt_out' });
    const { body } = await get(id).expect(200);
    expect(body).toEqual({
      object: 'topic',
      id,
      key: 'epices-the',
      name: 'Épices & Thé!',
      description: null,
      default_subscription: 'opt_out',
      visibility: 'private',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  it('are at most 10,000, archived ones not counted', async () => {
    const first = await create(news());
    await world.database.query(
      `INSERT INTO topics (account_id, key, name, default_subscription, visibility)
      SELECT account_id, 'key' || n, 'Topic', 'opt_in', 'private' FROM topics, generate_series(2, 10000) AS n WHERE id = $1`,
      [first],
    );
    const refused = await world.as(alice).post('/topics').send(news()).expect(409);
    expect(refused.body).toMatchObject({ name: 'validation_error', code: 'too_many_topics' });
    await world.as(alice).post(`/topics/${first}/restore`).expect(200);
    await world.as(alice).delete(`/topics/${first}`).expect(200);
    await create(news());
    await world.as(alice).post(`/topics/${first}/restore`).expect(409);
  });

  it.each([
    ['Grüße aus der Straße', 'grusse-aus-der-strasse'],
    ['Łódź & Tromsø', 'lodz-tromso'],
  ])('called %s have the key %s', async (name, key) => {
    expect((await get(await create(news({ name })))).body.key).toBe(key);
  });

  it('have a key of at most 64 characters, however long the letters of the name become', async () => {
    const { body } = await get(await create(news({ name: 'Ⅷ'.repeat(50) }))).expect(200);
    expect(body.key).toBe('viii'.repeat(16));
  });

  it('have a key that ends with a letter or digit, wherever the name is cut', async () => {
    const name = `xx${'½'.repeat(48)}`;
    const keys = await Promise.all(
      [await create(news({ name })), await create(news({ name }))].map(
        async (id) => (await get(id)).body.key,
      ),
    );
    expect(keys).toEqual([`xx${'1-2'.repeat(20)}1`, `xx${'1-2'.repeat(20)}-2`]);
  });

  it('are found by id, in either letter case, and by key', async () => {
    const id = await create(news({ key: 'monthly.news-1' }));
    for (const ref of [id, id.toUpperCase(), 'monthly.news-1']) {
      expect((await get(ref).expect(200)).body.id).toBe(id);
    }
  });

  it('of the same name get different keys, even when they are created at once', async () => {
    const ids = await Promise.all([1, 2, 3, 4].map(() => create(news())));
    const keys = await Promise.all(ids.map(async (id) => (await get(id)).body.key));
    expect(keys.toSorted()).toEqual(['news', 'news-2', 'news-3', 'news-4']);
  });

  it('whose names have no character that a key may have get the key topic', async () => {
    const id = await create({ name: 'ニュース', default_subscription: 'opt_in' });
    expect((await get(id)).body.key).toBe('topic');
  });

  it('whose names have the form of an id get a key that does not', async () => {
    await create(news({ name: UUID }));
    await get(`topic-${UUID}`).expect(200);
  });

  it('refuse a key that another topic has, and nothing is created', async () => {
    await create(news({ key: 'news' }));
    const { body } = await world
      .as(alice)
      .post('/topics')
      .send(news({ key: 'news' }))
      .expect(409);
    expect(body).toMatchObject({ code: 'topic_key_taken' });
    const { body: list } = await world.as(alice).get('/topics');
    expect(list.data).toHaveLength(1);
  });

  it.each([
    [{ default_subscription: 'opt_in' }, 'name'],
    [{ name: '', default_subscription: 'opt_in' }, 'name'],
    [{ name: ' \u00a0', default_subscription: 'opt_in' }, 'name'],
    [{ name: 'x'.repeat(51), default_subscription: 'opt_in' }, 'name'],
    [{ name: 'two\nlines', default_subscription: 'opt_in' }, 'name'],
    [{ name: 'News' }, 'default_subscription'],
    [{ name: 'News', default_subscription: 'yes' }, 'default_subscription'],
    [{ name: 'News', default_subscription: 'opt_in', description: 'x'.repeat(201) }, 'description'],
    [{ name: 'News', default_subscription: 'opt_in', visibility: 'hidden' }, 'visibility'],
    [{ name: 'News', default_subscription: 'opt_in', key: 'News' }, 'key'],
    [{ name: 'News', default_subscription: 'opt_in', key: 'x'.repeat(65) }, 'key'],
    [{ name: 'News', default_subscription: 'opt_in', key: UUID }, 'key'],
  ])('refuse %j', async (body, path) => {
    const response = await world.as(alice).post('/topics').send(body).expect(400);
    expect(response.body.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  it('accept a name of 50 and a description of 200 characters, counted as people count', async () => {
    const id = await create({
      name: '💌'.repeat(50),
      description: '💌'.repeat(200),
      default_subscription: 'opt_in',
    });
    expect((await get(id)).body.name).toBe('💌'.repeat(50));
  });

  it('refuse a misspelled field, when they are created and when they are changed', async () => {
    const { body } = await world
      .as(alice)
      .post('/topics')
      .send(news({ visibilty: 'public' }))
      .expect(400);
    expect(body.message).toContain('did you mean `visibility`?');
    const id = await create(news());
    await world.as(alice).patch(`/topics/${id}`).send({ descripton: 'Offers' }).expect(400);
  });

  it('change name, description and visibility, each by itself', async () => {
    const id = await create(news({ description: 'Monthly' }));
    const patch = (body: object) => world.as(alice).patch(`/topics/${id}`).send(body);
    expect((await patch({ name: 'Letter' }).expect(200)).body).toEqual({ object: 'topic', id });
    expect((await get(id)).body).toMatchObject({ name: 'Letter', description: 'Monthly', key: 'news' });
    await patch({ description: null }).expect(200);
    await patch({ visibility: 'public' }).expect(200);
    expect((await get(id)).body).toMatchObject({ name: 'Letter', description: null, visibility: 'public' });
    await patch({}).expect(200);
  });

  it.each([{ default_subscription: 'opt_out' }, { key: 'other' }])('refuse to change %j', async (change) => {
    const id = await create(news());
    const { body } = await world.as(alice).patch(`/topics/${id}`).send(change).expect(400);
    expect(body.errors).toEqual([
      { path: Object.keys(change)[0], message: 'must be left out: it cannot be changed' },
    ]);
    expect((await get(id)).body).toMatchObject({ default_subscription: 'opt_in', key: 'news' });
  });

  it('keep their name if it is null, as the .NET client sends it', async () => {
    const id = await create(news());
    await world.as(alice).patch(`/topics/${id}`).send({ name: null, description: 'Monthly' }).expect(200);
    expect((await get(id)).body).toMatchObject({ name: 'News', description: 'Monthly' });
  });

  it('are archived: nobody finds them, and no other topic gets the key', async () => {
    const id = await create(news());
    const { body } = await world.as(alice).delete('/topics/news').expect(200);
    expect(body).toEqual({ object: 'topic', id, deleted: true });
    for (const ref of [id, 'news']) {
      expect((await get(ref).expect(404)).body).toMatchObject({ code: 'topic_not_found' });
      await world.as(alice).patch(`/topics/${ref}`).send({ name: 'Other' }).expect(404);
      await world.as(alice).delete(`/topics/${ref}`).expect(404);
    }
    expect((await world.as(alice).get('/topics')).body.data).toEqual([]);
    const refused = await world
      .as(alice)
      .post('/topics')
      .send(news({ key: 'news' }))
      .expect(409);
    expect(refused.body).toMatchObject({
      code: 'topic_archived',
      message: expect.stringContaining(`POST /topics/${id}/restore`),
    });
    expect((await get(await create(news()))).body.key).toBe('news-2');
  });

  it.each(['key', 'id'])(
    'are restored by their %s, with the opt-outs and clicks on old links',
    async (ref) => {
      const id = await create(news());
      const optOut = [{ id: 'news', subscription: 'opt_out' }];
      await world.as(alice).patch('/contacts/ada@example.com/topics').send(optOut).expect(200);
      const token = await tokenFor(world, alice, 'eve@example.com', { topic: 'news' });
      await world.as(alice).delete('/topics/news').expect(200);
      await world.anyone.post(`/u/${token}`).expect(200);
      const restore = () => world.as(alice).post(`/topics/${ref === 'id' ? id : 'news'}/restore`);
      const { body } = await restore().expect(200);
      expect(body).toEqual((await get('news').expect(200)).body);
      expect(body.id).toBe(id);
      expect((await restore().expect(200)).body).toEqual(body);
      for (const [email, verdict] of Object.entries({ ada: 'suppressed', eve: 'suppressed', bob: 'send' })) {
        expect(await verdictOn(world, alice, `${email}@example.com`, { topic: 'news' })).toBe(verdict);
      }
      await world.as(world.charlie).post(`/topics/${id}/restore`).expect(404);
    },
  );

  it('are listed newest first, in pages forwards and backwards', async () => {
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      ids.unshift(await create({ name, default_subscription: 'opt_in' }));
    }
    const list = async (query: object) =>
      (await world.as(alice).get('/topics').query(query).expect(200)).body;
    const all = await list({});
    expect(all).toMatchObject({ object: 'list', has_more: false });
    expect(all.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    const pick = (...positions: number[]) => positions.map((position) => all.data[position]);
    expect(await list({ limit: 3 })).toEqual({ object: 'list', has_more: true, data: pick(0, 1, 2) });
    expect(await list({ after: ids[2] })).toEqual({ object: 'list', has_more: false, data: pick(3) });
    expect(await list({ before: ids[2], limit: 1 })).toEqual({
      object: 'list',
      has_more: true,
      data: pick(1),
    });
    await world.as(alice).get('/topics').query({ after: ids[0], before: ids[1] }).expect(400);
  });

  it('of another account are not found', async () => {
    const id = await create(news());
    const { body } = await world.as(world.charlie).get('/topics').expect(200);
    expect(body.data).toEqual([]);
    for (const ref of [id, 'news']) {
      await world.as(world.charlie).get(`/topics/${ref}`).expect(404);
      await world.as(world.charlie).patch(`/topics/${ref}`).send({ name: 'Mine' }).expect(404);
      await world.as(world.charlie).delete(`/topics/${ref}`).expect(404);
    }
    await world
      .as(world.charlie)
      .post('/topics')
      .send(news({ key: 'news' }))
      .expect(201);
    expect((await get(id)).body.name).toBe('News');
  });

  it('need the scope topics:read or topics:write', async () => {
    for (const request of [
      world.as(world.bob).get('/topics'),
      world.as(world.bob).post('/topics').send(news()),
    ]) {
      expect((await request.expect(401)).body).toMatchObject({ name: 'restricted_api_key' });
    }
  });
});

const ADA = 'ada@example.com';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

describe('/contacts/:contact/topics', () => {
  let world: World;
  let alice: string;
  let news: string;
  let offers: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => {
    alice = await createKey(world);
    news = await create({ name: 'News', default_subscription: 'opt_in', description: 'Monthly' });
    offers = await create({ name: 'Offers', default_subscription: 'opt_out' });
  });
  afterAll(() => world.close());

  const create = async (body: object, apiKey = alice): Promise<string> =>
    (await world.as(apiKey).post('/topics').send(body).expect(201)).body.id;
  const createdAt = async (topic: string): Promise<string> =>
    (await world.as(alice).get(`/topics/${topic}`).expect(200)).body.created_at;
  const read = (contact: string, apiKey = alice) =>
    world.as(apiKey).get(`/contacts/${encodeURIComponent(contact)}/topics`);
  const set = (contact: string, body: object, apiKey = alice) =>
    world
      .as(apiKey)
      .patch(`/contacts/${encodeURIComponent(contact)}/topics`)
      .send(body);
  const subscriptions = async (contact: string): Promise<Record<string, string>> => {
    const { body } = await read(contact).expect(200);
    return Object.fromEntries(
      body.data.map(({ key, subscription }: Record<string, string>) => [key, subscription]),
    );
  };

  it('shows the default of each topic for an address that never chose', async () => {
    const { body } = await read(ADA).expect(200);
    expect(body).toEqual({
      object: 'list',
      has_more: false,
      data: [
        {
          id: offers,
          key: 'offers',
          name: 'Offers',
          description: null,
          subscription: 'opt_out',
          created_at: await createdAt(offers),
        },
        {
          id: news,
          key: 'news',
          name: 'News',
          description: 'Monthly',
          subscription: 'opt_in',
          created_at: await createdAt(news),
        },
      ],
    });
  });

  it.each([
    ['the bare array of the official clients', (topics: object[]) => topics],
    ["the object of Resend's documentation", (topics: object[]) => ({ topics, topic_id: 'x', more: 1 })],
  ])('accepts %s', async (_what, wrap) => {
    const topics = [{ id: news, subscription: 'opt_out', name: 'ignored' }];
    const { body } = await set('Ada@Example.com', wrap(topics)).expect(200);
    expect(body).toEqual({
      object: 'contact_topics',
      id: body.contact_id,
      contact_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
      topics: [{ id: news, subscription: 'opt_out' }],
    });
    expect(await subscriptions(ADA)).toEqual({ news: 'opt_out', offers: 'opt_out' });
    expect(await subscriptions(body.contact_id)).toEqual({ news: 'opt_out', offers: 'opt_out' });
    await set(body.contact_id, [{ id: news, subscription: 'opt_in' }]).expect(200);
    expect(await subscriptions(ADA)).toEqual({ news: 'opt_in', offers: 'opt_out' });
  });

  it('is in the history of the address, one line for each choice that changed something', async () => {
    const { body } = await set(ADA, [
      { id: news, subscription: 'opt_out' },
      { id: offers, subscription: 'opt_in' },
    ]).expect(200);
    await set(body.contact_id, [{ id: news, subscription: 'opt_out' }]).expect(200);
    await set(ADA, [{ id: news, subscription: 'opt_in' }]).expect(200);
    const history = await world.as(alice).get(`/suppressions/${ADA}/history`).expect(200);
    const line = (action: string, topic: string) =>
      expect.objectContaining({
        action,
        topic,
        email: ADA,
        suppression_id: null,
        cause: null,
        origin: null,
        actor: { type: 'api_key', id: expect.any(String), name: 'alice' },
      });
    expect(history.body.data[0]).toEqual(line('opted_in', news));
    expect(history.body.data.slice(1)).toHaveLength(2);
    expect(history.body.data).toEqual(
      expect.arrayContaining([line('opted_out', news), line('opted_in', offers)]),
    );
    await world.as(world.charlie).get(`/suppressions/${ADA}/history`).expect(404);
  });

  it('accepts the key of a topic in place of its id', async () => {
    await set(ADA, [
      { id: 'news', subscription: 'opt_out' },
      { id: 'offers', subscription: 'opt_in' },
    ]).expect(200);
    expect(await subscriptions(ADA)).toEqual({ news: 'opt_out', offers: 'opt_in' });
  });

  it('stores a choice that equals the default, and gives the contact an id', async () => {
    const { body } = await set(ADA, [{ id: news, subscription: 'opt_in' }]).expect(200);
    await read(body.contact_id).expect(200);
  });

  it('knows no id of a contact that never chose', async () => {
    const { body } = await set(ADA, []).expect(200);
    for (const request of [read(body.contact_id), set(UNKNOWN_ID, [{ id: news, subscription: 'opt_out' }])]) {
      expect((await request.expect(404)).body).toMatchObject({ code: 'contact_not_found' });
    }
  });

  it('sets nothing if any of the topics does not exist or is archived', async () => {
    await world.as(alice).delete(`/topics/${offers}`).expect(200);
    for (const id of [UNKNOWN_ID, 'nothing', offers]) {
      const { body } = await set(ADA, [
        { id: news, subscription: 'opt_out' },
        { id, subscription: 'opt_out' },
      ]).expect(404);
      expect(body).toMatchObject({ code: 'topic_not_found' });
    }
    expect(await subscriptions(ADA)).toEqual({ news: 'opt_in' });
  });

  it('keeps the opt-outs of an archived topic', async () => {
    await set(ADA, [{ id: news, subscription: 'opt_out' }]).expect(200);
    await world.as(alice).delete(`/topics/${news}`).expect(200);
    expect(await subscriptions(ADA)).toEqual({ offers: 'opt_out' });
    const rows = await world.database.query(
      'SELECT email, subscription, via FROM topic_preferences WHERE topic_id = $1',
      [news],
    );
    expect(rows).toEqual([{ email: ADA, subscription: 'opt_out', via: 'api' }]);
  });

  it('accepts the same choice twice, and refuses two that contradict each other', async () => {
    const choose = (...choices: string[]) =>
      set(
        ADA,
        choices.map((subscription, index) => ({ id: index % 2 ? 'news' : news, subscription })),
      );
    await choose('opt_out', 'opt_out').expect(200);
    const { body } = await choose('opt_out', 'opt_in').expect(400);
    expect(body.errors).toEqual([{ path: 'topics[1]', message: expect.stringContaining('news') }]);
    expect(await subscriptions(ADA)).toMatchObject({ news: 'opt_out' });
  });

  it.each([
    [{}, 'topics'],
    [{ topics: {} }, 'topics'],
    [Array.from({ length: 101 }, () => ({})), 'topics'],
    [[null], 'topics[0]'],
    [[{ id: 'news' }], 'topics[0]'],
    [
      [
        { id: 'news', subscription: 'opt_out' },
        { id: 7, subscription: 'opt_in' },
      ],
      'topics[1]',
    ],
  ])('refuses %j', async (body, path) => {
    const response = await set(ADA, body).expect(400);
    expect(response.body.errors).toEqual([{ path, message: expect.any(String) }]);
    expect(await subscriptions(ADA)).toEqual({ news: 'opt_in', offers: 'opt_out' });
  });

  it('refuses what is neither an id nor an address', async () => {
    const { body } = await read('nobody').expect(400);
    expect(body.errors[0].path).toBe('contact');
  });

  it('pages through the topics', async () => {
    const { body } = await read(ADA).query({ limit: 1 }).expect(200);
    expect(body).toMatchObject({ has_more: true, data: [{ key: 'offers' }] });
    const next = await read(ADA).query({ limit: 1, after: body.data[0].id });
    expect(next.body).toMatchObject({ has_more: false, data: [{ key: 'news' }] });
  });

  it('keeps two accounts apart: topics, choices and contact ids', async () => {
    const theirs = await create({ name: 'News', default_subscription: 'opt_in' }, world.charlie);
    const { body } = await set(ADA, [{ id: 'news', subscription: 'opt_out' }]).expect(200);
    await set(ADA, [{ id: news, subscription: 'opt_out' }], world.charlie).expect(404);
    await read(body.contact_id, world.charlie).expect(404);
    const seen = await read(ADA, world.charlie).expect(200);
    expect(seen.body.data).toMatchObject([{ id: theirs, subscription: 'opt_in' }]);
    const own = await set(ADA, [{ id: theirs, subscription: 'opt_in' }], world.charlie).expect(200);
    expect(own.body.contact_id).not.toBe(body.contact_id);
    expect(await subscriptions(ADA)).toMatchObject({ news: 'opt_out' });
  });
});
