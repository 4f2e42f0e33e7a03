import { createKey, createWorld, type World } from '../support/world.js';

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
