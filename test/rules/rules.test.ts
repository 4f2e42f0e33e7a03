import { createKey, createWorld, type World } from '../support/world.js';
import { until } from '../support/until.js';

describe('rules', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const put = (body: object, apiKey = alice) => world.as(apiKey).post('/rules').send(body);
  const get = (ref: string, apiKey = alice) => world.as(apiKey).get(`/rules/${encodeURIComponent(ref)}`);
  const list = async (query: object = {}) =>
    (await world.as(alice).get('/rules').query(query).expect(200)).body;
  const createTopic = async (name: string): Promise<string> =>
    (await world.as(alice).post('/topics').send({ name, default_subscription: 'opt_in' }).expect(201)).body
      .id;

  it('are created with all their fields', async () => {
    const topic = await createTopic('News');
    const { body } = await put({
      pattern: '*.Example.com',
      effect: 'allow',
      topic: 'news',
      note: 'A partner',
      expires_at: '2999-01-01T00:00:00Z',
    }).expect(201);
    expect(body).toEqual({
      object: 'rule',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      pattern: '*.example.com',
      effect: 'allow',
      topic,
      note: 'A partner',
      expires_at: '2999-01-01T00:00:00.000Z',
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await get(body.id).expect(200)).body).toEqual(body);
  });

  it('have another version after each of their changes', async () => {
    const version = async () => (await world.as(alice).get('/account').expect(200)).body.rules_version;
    const versions = [await version()];
    const { body } = await put({ pattern: 'example.com', effect: 'block' }).expect(201);
    versions.push(await version());
    await put({ pattern: 'example.com', effect: 'allow' }).expect(200);
    versions.push(await version());
    await get(body.id).expect(200);
    await createTopic('News');
    expect(await version()).toBe(versions[2]);
    await world.as(alice).delete(`/rules/${body.id}`).expect(200);
    versions.push(await version());
    await world.as(alice).delete(`/rules/${body.id}`).expect(404);
    expect(await version()).toBe(versions[3]);
    expect(new Set(versions).size).toBe(4);
  });

  it('for all mail are found by their pattern, too', async () => {
    await createTopic('News');
    await put({ pattern: 'abuse@*', effect: 'allow', topic: 'news' }).expect(201);
    await get('abuse@*').expect(404);
    const { body } = await put({ pattern: 'abuse@*', effect: 'block' }).expect(201);
    expect((await get('Abuse@*').expect(200)).body).toEqual(body);
  });

  it('replace the rule with the same pattern and topic, and keep its id', async () => {
    await createTopic('News');
    const first = await put({ pattern: 'example.com', effect: 'block', note: 'Closed' }).expect(201);
    const ofTopic = await put({ pattern: 'example.com', effect: 'block', topic: 'news' }).expect(201);
    const second = await put({ pattern: 'EXAMPLE.com', effect: 'allow' }).expect(200);
    expect(second.body).toMatchObject({ id: first.body.id, effect: 'allow', note: null });
    expect((await list()).data.map(({ id }: { id: string }) => id)).toEqual([ofTopic.body.id, first.body.id]);
  });

  it('are deleted, and not found after that', async () => {
    const { body } = await put({ pattern: 'example.com', effect: 'block' });
    const deleted = await world.as(alice).delete('/rules/example.com').expect(200);
    expect(deleted.body).toEqual({ object: 'rule', id: body.id, deleted: true });
    expect((await get(body.id).expect(404)).body).toMatchObject({ code: 'rule_not_found' });
    await world.as(alice).delete(`/rules/${body.id}`).expect(404);
  });

  it('have a history, newest first, that survives them', async () => {
    const { body } = await put({ pattern: 'example.com', effect: 'block', note: 'Closed' });
    await put({ pattern: 'example.com', effect: 'allow' });
    await world.as(alice).delete('/rules/example.com').expect(200);
    const history = async (ref: string, query = {}) =>
      (await world.as(alice).get(`/rules/${ref}/history`).query(query).expect(200)).body;
    const line = {
      object: 'rule_change',
      id: expect.any(String),
      rule_id: body.id,
      pattern: 'example.com',
      topic: null,
      expires_at: null,
      actor: { type: 'api_key', id: expect.any(String), name: 'alice' },
      created_at: expect.stringMatching(/Z$/),
    };
    const whole = await history(body.id);
    expect(whole).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { ...line, action: 'deleted', effect: 'allow', note: null },
        { ...line, action: 'replaced', effect: 'allow', note: null },
        { ...line, action: 'created', effect: 'block', note: 'Closed' },
      ],
    });
    expect(await history('example.com')).toEqual(whole);
    expect(await history(body.id, { limit: 1, after: whole.data[1].id })).toMatchObject({
      data: [{ action: 'created' }],
    });
    await world.as(alice).get('/rules/other.example/history').expect(404);
  });

  it('are not found once they have expired', async () => {
    const { body } = await put({ pattern: 'example.com', effect: 'block', expires_at: '2999-01-01' });
    const end = new Date(Date.now() + 300).toISOString();
    await put({ pattern: 'example.com', effect: 'block', expires_at: end }).expect(200);
    await until(async () => (await get(body.id)).status === 404);
    expect((await list()).data).toEqual([]);
    await world.as(alice).delete('/rules/example.com').expect(404);
    const successor = await put({ pattern: 'example.com', effect: 'block' }).expect(201);
    expect(successor.body.id).not.toBe(body.id);
  });

  it('are at most 10,000, expired ones not counted', async () => {
    const { body } = await put({ pattern: 'first.example', effect: 'block' });
    await world.database.query(
      `INSERT INTO rules (account_id, pattern, effect)
      SELECT account_id, n || '.example', 'block' FROM rules, generate_series(2, 10000) AS n WHERE id = $1`,
      [body.id],
    );
    const refused = await put({ pattern: 'last.example', effect: 'block' }).expect(409);
    expect(refused.body).toMatchObject({ name: 'validation_error', code: 'too_many_rules' });
    await put({ pattern: 'first.example', effect: 'allow' }).expect(200);
    await world.database.query(`UPDATE rules SET expires_at = now() WHERE id = $1`, [body.id]);
    await put({ pattern: 'last.example', effect: 'block' }).expect(201);
    await put({ pattern: 'another.example', effect: 'block' }).expect(409);
  });

  it('are created once if several requests create the same pattern at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => put({ pattern: 'race.example', effect: 'block' })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
  });

  it.each([
    [{ effect: 'block' }, 'pattern'],
    [{ pattern: '*', effect: 'block' }, 'pattern'],
    [{ pattern: 'example.com' }, 'effect'],
    [{ pattern: 'example.com', effect: 'deny' }, 'effect'],
    [{ pattern: 'example.com', effect: 'block', topic: 'No Key' }, 'topic'],
    [{ pattern: 'example.com', effect: 'block', note: 'x'.repeat(1001) }, 'note'],
    [{ pattern: 'example.com', effect: 'block', expires_at: '2020-01-01' }, 'expires_at'],
    [{ pattern: 'example.com', effect: 'block', expires_at: 'soon' }, 'expires_at'],
  ])('refuse %j', async (body, path) => {
    const response = await put(body).expect(400);
    expect(response.body.errors).toEqual([{ path, message: expect.any(String) }]);
    expect((await list()).data).toEqual([]);
  });

  it('refuse a topic that does not exist', async () => {
    const { body } = await put({ pattern: 'example.com', effect: 'block', topic: 'nothing' }).expect(404);
    expect(body).toMatchObject({ code: 'topic_not_found' });
  });

  it('of another account are not found', async () => {
    const bob = await createKey(world);
    const { body } = await put({ pattern: 'example.com', effect: 'block' });
    for (const ref of [body.id, 'example.com']) {
      await get(ref, bob).expect(404);
      await world.as(bob).get(`/rules/${ref}/history`).expect(404);
      await world.as(bob).delete(`/rules/${ref}`).expect(404);
    }
    expect((await world.as(bob).get('/rules')).body.data).toEqual([]);
    const own = await put({ pattern: 'example.com', effect: 'allow' }, bob).expect(201);
    expect(own.body.id).not.toBe(body.id);
    const topic = await createTopic('News');
    await put({ pattern: 'example.org', effect: 'allow', topic }, bob).expect(404);
    expect((await get(body.id).expect(200)).body).toEqual(body);
  });

  it('need the scope rules:read or rules:write', async () => {
    const reader = await createKey(world, ['rules:read'], 'readers');
    await get('example.com', reader).expect(404);
    await put({ pattern: 'example.com', effect: 'block' }, reader).expect(401);
    await get('example.com', world.bob).expect(401);
  });
});
