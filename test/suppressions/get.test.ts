import { createWorld, suppress, type World } from '../support/world.js';

describe('GET /suppressions/:suppression', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('returns a record by its id and by its address', async () => {
    const [id] = await suppress(world, world.alice, ['ada@example.com']);
    const byId = await world.as(world.alice).get(`/suppressions/${id}`).expect(200);
    expect(byId.body).toEqual({
      object: 'suppression',
      id,
      email: 'ada@example.com',
      origin: 'manual',
      source_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const byAddress = await world.as(world.alice).get('/suppressions/ada%40example.com').expect(200);
    expect(byAddress.body).toEqual(byId.body);
  });
});
