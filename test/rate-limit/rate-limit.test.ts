import { createWorld, type World } from '../support/world.js';

describe('RATE_LIMIT', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ RATE_LIMIT: '5' })));
  afterAll(() => world.close());

  const burst = async (apiKey: string) =>
    Promise.all(Array.from({ length: 12 }, () => world.as(apiKey).get('/suppressions')));

  it('refuses what an account asks beyond it, tells how it stands, and leaves other accounts alone', async () => {
    const [alice, charlie] = await Promise.all([burst(world.alice), burst(world.charlie)]);
    for (const answers of [alice, charlie]) {
      const allowed = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 429);
      expect(allowed.length + refused.length).toBe(12);
      expect(allowed.length).toBeGreaterThanOrEqual(5);
      expect(refused.length).toBeGreaterThan(0);
      expect(allowed[0]!.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-reset': '1' });
      expect(refused[0]!.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '1' });
      expect(refused[0]!.body).toMatchObject({ statusCode: 429, name: 'rate_limit_exceeded' });
    }
  });

  it('counts the keys of one account together', async () => {
    const answers = await Promise.all([burst(world.alice), burst(world.bob)]);
    const allowed = answers.flat().filter(({ status }) => status === 200);
    expect(allowed.length).toBeLessThan(24);
  });

  it('lets go on when the second is over', async () => {
    let status = 429;
    while (status === 429) {
      ({ status } = await world.as(world.alice).get('/suppressions'));
    }
    expect(status).toBe(200);
  });

  it('does not count what needs no key', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.anyone.get('/healthz')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});
