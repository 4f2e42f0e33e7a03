import { createWorld, type World } from '../support/world.js';

describe('an unknown query parameter', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('is refused by the list, which would otherwise return everything', async () => {
    const { body } = await world.as(world.alice).get('/suppressions?orign=bounce').expect(400);
    expect(body).toMatchObject({
      code: 'validation_error',
      message: 'orign is unknown (did you mean `origin`?).',
      errors: [{ path: 'orign', message: 'is unknown (did you mean `origin`?)' }],
    });
  });

  it('does not hide what else is wrong with the query', async () => {
    const { body } = await world
      .as(world.alice)
      .get('/suppressions?orign=bounce&limit=0&domain=@')
      .expect(400);
    expect(body.errors).toEqual([
      { path: 'orign', message: 'is unknown (did you mean `origin`?)' },
      { path: 'domain', message: expect.any(String) },
      { path: 'limit', message: expect.any(String) },
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
