import { createWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('an unknown field of a body', () => {
  it.each([
    ['/suppressions', { email: 'ada@example.com' }],
    ['/suppressions/batch/add', { emails: ['ada@example.com'] }],
    ['/suppressions/batch/remove', { emails: ['ada@example.com'] }],
    ['/topics', { name: 'News', default_subscription: 'opt_in' }],
  ])('is ignored by POST %s, as the Resend API does', async (path, body) => {
    const { status } = await world
      .as(world.alice)
      .post(path)
      .send({ ...body, emial: 'x' });
    expect(status).toBeLessThan(300);
  });

  it.each([
    ['post', '/suppressions', { email: 'ada@example.com' }, 'expire_at', 'expires_at'],
    ['post', '/suppressions', { email: 'ada@example.com' }, 'expiresAt', 'expires_at'],
    ['post', '/suppressions', { email: 'ada@example.com' }, 'expires', 'expires_at'],
    ['post', '/suppressions', { email: 'ada@example.com' }, 'nota', 'note'],
    ['post', '/suppressions/batch/add', { emails: ['ada@example.com'] }, 'expire_at', 'expires_at'],
    ['post', '/suppressions/batch/remove', { emails: ['ada@example.com'] }, 'casue', 'cause'],
    ['post', '/suppressions/batch/remove', { emails: ['ada@example.com'] }, 'consents', 'consent'],
    ['delete', '/suppressions/ada@example.com', {}, 'notes', 'note'],
    ['post', '/topics', { name: 'News', default_subscription: 'opt_in' }, 'Key', 'key'],
  ] as const)(
    'is refused by %s %s with %j if it looks like a field that only we have: %s',
    async (method, path, sent, field, meant) => {
      const before = await world.database.query('SELECT email, cause FROM suppressions');
      const { body } = await world
        .as(world.alice)
        [method](path)
        .send({ ...sent, [field]: 'x' })
        .expect(400);
      expect(body.errors).toEqual([{ path: field, message: `is unknown (did you mean \`${meant}\`?)` }]);
      expect(await world.database.query('SELECT email, cause FROM suppressions')).toEqual(before);
    },
  );

  it.each([
    ['/suppressions', { email: 'new@example.com', cause: 'bounce' }, 'POST /events'],
    ['/suppressions', { email: 'new@example.com', origin: 'complaint' }, 'POST /imports'],
    ['/suppressions', { email: 'new@example.com', topic: 'news' }, 'PATCH /contacts/:contact/topics'],
    ['/suppressions/batch/add', { emails: ['new@example.com'], causes: ['bounce'] }, 'POST /events'],
    ['/suppressions/batch/remove', { emails: ['ada@example.com'], origin: 'bounce' }, '`cause`'],
  ])('is refused by POST %s with %j, since it would change what is meant', async (path, sent, instead) => {
    const before = await world.database.query('SELECT email, cause FROM suppressions');
    const { body } = await world.as(world.alice).post(path).send(sent).expect(400);
    expect(body.errors).toEqual([{ path: Object.keys(sent)[1], message: expect.stringContaining(instead) }]);
    expect(await world.database.query('SELECT email, cause FROM suppressions')).toEqual(before);
  });

  it.each([
    ['/suppressions/check', { emails: ['ada@example.com'], email: 'x' }, 'email', 'emails'],
    ['/rules', { pattern: 'example.com', efect: 'allow' }, 'efect', 'effect'],
  ])('is refused by POST %s with the field that was meant', async (path, sent, field, meant) => {
    const { body } = await world.as(world.alice).post(path).send(sent).expect(400);
    expect(body.errors[0]).toEqual({ path: field, message: `is unknown (did you mean \`${meant}\`?)` });
  });

  it('does not hide what else is wrong', async () => {
    const { body } = await world
      .as(world.alice)
      .post('/rules')
      .send({ pattern: '@', efect: 'allow' })
      .expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['efect', 'pattern', 'effect']);
  });
});

describe('an unknown query parameter', () => {
  it('is refused by the list, which would otherwise return everything', async () => {
    const { body } = await world.as(world.alice).get('/suppressions?orign=bounce').expect(400);
    expect(body).toMatchObject({
      code: 'validation_error',
      message: 'orign is unknown (did you mean `origin`?).',
      errors: [{ path: 'orign', message: 'is unknown (did you mean `origin`?)' }],
    });
  });

  it.each([
    ['/changes?cursor=x', 'after'],
    ['/suppressions?per_page=10', 'limit'],
  ])('is refused by %s with our name for it', async (path, meant) => {
    const { body } = await world.as(world.alice).get(path).expect(400);
    expect(body.errors[0].message).toBe(`is unknown (did you mean \`${meant}\`?)`);
  });

  it.each(['email=ada@example.com', 'q=ada'])(
    'is refused by the list with the way to look up an address: %s',
    async (query) => {
      const { body } = await world.as(world.alice).get(`/suppressions?${query}`).expect(400);
      expect(body.errors).toEqual([
        {
          path: query.split('=')[0],
          message: 'is unknown: to look up one address, use GET /suppressions/:suppression',
        },
      ]);
    },
  );

  it('does not hide what else is wrong with the query', async () => {
    const { body } = await world
      .as(world.alice)
      .get('/suppressions?orign=bounce&limit=0&domain=@')
      .expect(400);
    expect(body.errors).toEqual([
      { path: 'orign', message: 'is unknown (did you mean `origin`?)' },
      { path: 'limit', message: expect.any(String) },
      { path: 'domain', message: expect.any(String) },
    ]);
  });

  it.each([
    ['get', '/suppressions/ada@example.com?x=1'],
    ['get', '/suppressions/ada@example.com/history?offset=1'],
    ['delete', '/suppressions/ada@example.com?force=true'],
    ['post', '/suppressions?email=ada@example.com'],
    ['post', '/suppressions/check?x=1'],
    ['post', '/suppressions/batch/add?x=1'],
    ['post', '/suppressions/batch/remove?x=1'],
    ['post', '/events?x=1'],
  ] as const)('is refused by %s %s', async (method, path) => {
    const { body } = await world.as(world.alice)[method](path).send({}).expect(400);
    expect(body.errors).toEqual([{ path: expect.any(String), message: 'is unknown' }]);
  });

  it('is reported for ten parameters at most, by the first 50 characters of their names', async () => {
    const query = Array.from({ length: 30 }, (_, index) => `${index}${'x'.repeat(100)}=1`).join('&');
    const { body } = await world.as(world.alice).get(`/suppressions?${query}`).expect(400);
    expect(body.errors).toHaveLength(10);
    expect(body.errors[0].path).toHaveLength(50);
  });

  it('does not reveal anything to a caller without a key', () =>
    world.anyone.get('/suppressions?orign=bounce').expect(401));

  it('is ignored by health checks', () => world.anyone.get('/healthz?from=probe').expect(200));
});
