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
