import { createWorld, type World } from '../support/world.js';

describe('an unknown field of a body', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

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
