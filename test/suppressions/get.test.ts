import { createWorld, suppress, type World } from '../support/world.js';

describe('GET /suppressions/:suppression', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('returns exactly the six fields of a record, by its id and by its address', async () => {
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

  it('does not take an empty address for the list', async () => {
    const { body } = await world.as(world.alice).get('/suppressions/').expect(400);
    expect(body.code).toBe('route_not_found');
  });

  it('finds an id in upper case', async () => {
    const [id] = await suppress(world, world.alice, ['upper@example.com']);
    await world.as(world.alice).get(`/suppressions/${id!.toUpperCase()}`).expect(200);
  });

  it.each([
    ['in another letter case', 'User%2BTag%40EXAMPLE.com'],
    ['with white space around it', '%20user%2Btag%40example.com%09'],
    ['with a dot behind the domain', 'user%2Btag%40example.com.'],
    ['with quotation marks that it does not need', '%22user%2Btag%22%40example.com'],
    ['not percent-encoded', 'user+tag@example.com'],
  ])('finds an address %s', async (_how, path) => {
    await suppress(world, world.alice, ['user+tag@example.com']);
    const { body } = await world.as(world.alice).get(`/suppressions/${path}`).expect(200);
    expect(body.email).toBe('user+tag@example.com');
  });

  it('finds an address by the Unicode and by the ASCII form of its domain', async () => {
    await suppress(world, world.alice, ['info@MÜNCHEN.example']);
    const composed = await world
      .as(world.alice)
      .get(`/suppressions/${encodeURIComponent('info@mu\u0308nchen.example')}`);
    const ascii = await world.as(world.alice).get('/suppressions/info@xn--mnchen-3ya.example');
    expect(composed.body.email).toBe('info@xn--mnchen-3ya.example');
    expect(ascii.body).toEqual(composed.body);
  });

  it('keeps addresses apart that differ in dots or tags', async () => {
    await suppress(world, world.alice, ['first.last@example.com']);
    await world.as(world.alice).get('/suppressions/firstlast@example.com').expect(404);
    await world.as(world.alice).get('/suppressions/first.last+tag@example.com').expect(404);
  });

  it('finds an address with a slash in it', async () => {
    await suppress(world, world.alice, ['sales/emea@example.com']);
    await world.as(world.alice).get('/suppressions/sales%2Femea%40example.com').expect(200);
  });

  it.each(['nobody@example.com', '01890000-0000-7000-8000-000000000000'])(
    'answers 404 for %s',
    async (ref) => {
      const { body } = await world.as(world.alice).get(`/suppressions/${ref}`).expect(404);
      expect(body).toEqual({
        statusCode: 404,
        name: 'not_found',
        code: 'suppression_not_found',
        message: 'No suppression has this id or address.',
        error: { statusCode: 404, name: 'not_found', message: 'No suppression has this id or address.' },
      });
    },
  );

  it.each(['neither', '01890000-0000-7000-8000', 'a@b@c.example', '@example.com', 'ada@', '%00@example.com'])(
    'answers 400 for %s, which is neither an id nor an address',
    async (ref) => {
      const { body } = await world.as(world.alice).get(`/suppressions/${ref}`).expect(400);
      expect(body).toMatchObject({
        statusCode: 400,
        name: 'validation_error',
        errors: [{ path: 'suppression' }],
      });
    },
  );
});
