import { createWorld, suppress, type World } from '../support/world.js';

describe('the path of a request', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each([
    ['get', '/suppressions/batch/add', 'POST'],
    ['put', '/suppressions', 'GET, HEAD, POST'],
    ['patch', '/suppressions/ada@example.com', 'DELETE, GET, HEAD'],
    ['patch', '/suppressions/a/da@example.com', 'DELETE, GET, HEAD'],
    ['post', '/healthz', 'GET, HEAD'],
    ['options', '/suppressions/check', 'DELETE, GET, HEAD, POST'],
  ] as const)(
    'with the wrong method, as in %s %s, returns 405 and Allow: %s',
    async (method, path, allowed) => {
      const { body, headers } = await world.as(world.alice)[method](path).expect(405);
      expect(headers.allow).toBe(allowed);
      expect(body).toMatchObject({ statusCode: 405, name: 'method_not_allowed' });
    },
  );

  it.each([
    '/nothing',
    '/suppressions/a@example.com/nothing',
    '/docs-not',
    '/v1',
    '/v1/nothing',
    '/suppressionsx/a@example.com',
  ])('that is unknown, as %s, returns 404 with a name that does not mean "not suppressed"', async (path) => {
    const { body } = await world.as(world.alice).get(path).expect(404);
    expect(body).toMatchObject({ statusCode: 404, name: 'validation_error', code: 'route_not_found' });
    expect(body.message).toContain('says nothing about any address');
  });

  it.each([
    ['/v1/suppressions/ada@example.com', '/v1', '/suppressions/ada@example.com'],
    ['/v1//suppressions/ada%40example.com', '/v1', '/suppressions/ada%40example.com'],
    ['/api/v1/suppressions/a/b@example.com', '/api/v1', '/suppressions/a%2Fb@example.com'],
    ['/suppressions/suppressions/ada@example.com', '/suppressions', '/suppressions/ada@example.com'],
    ['/suppressions//suppressions/ada@example.com', '/suppressions', '/suppressions/ada@example.com'],
    ['/contacts/suppressions/ada@example.com', '/contacts', '/suppressions/ada@example.com'],
    ['/suppressions/v1/suppressions/ada@example.com', '/suppressions/v1', '/suppressions/ada@example.com'],
    ['/docs/suppressions/ada@example.com', '/docs', '/suppressions/ada@example.com'],
    ['/api/contacts/ada@example.com/topics', '/api', '/contacts/ada@example.com/topics'],
    ['/v1/suppressions?limit=1', '/v1', '/suppressions'],
  ])('of ours below a prefix, as %s, returns 400 and the right URL', async (path, prefix, right) => {
    const { body } = await world.as(world.alice).get(path).expect(400);
    expect(body).toMatchObject({ statusCode: 400, name: 'validation_error', code: 'route_not_found' });
    expect(body.message).toContain('says nothing about any address');
    expect(body.message).toContain(`The right URL has no ${prefix}: ${world.url}${right}.`);
  });

  it('of an audience returns 400 and the path without it', async () => {
    const { body } = await world.as(world.alice).get('/audiences/1/contacts/ada@example.com').expect(400);
    expect(body.message).toMatch(/no audiences\. Use \/contacts\/ada@example\.com\.$/);
  });

  it.each(['post', 'patch', 'delete'] as const)(
    'of ours below a prefix returns 400 to %s',
    async (method) => {
      const { body } = await world.as(world.alice)[method]('/v1/suppressions/batch/add').expect(400);
      expect(body.message).toContain(`${world.url}/suppressions/batch/add.`);
    },
  );

  it.each([
    '/suppressions/',
    '/suppressions//a@example.com',
    '/suppressions//history',
    '/contacts//topics',
    '/suppressions//a@example.com/x',
  ])('with an empty address or one that begins with a slash, as %s, returns 400', async (path) => {
    const { body } = await world.as(world.alice).get(path).expect(400);
    expect(body).toMatchObject({ code: 'route_not_found', message: expect.stringContaining('%2F') });
  });

  it('with thousands of slashes returns 404', async () => {
    await world
      .as(world.alice)
      .get(`/x${'/y'.repeat(7_000)}`)
      .expect(404);
  });

  it.each(['/suppressions/%', '/suppressions/%zz', '/suppressions/%C0%80'])(
    'with malformed percent-encoding, as %s, returns 400',
    async (path) => {
      const { body } = await world.as(world.alice).get(path).expect(400);
      expect(body.name).toBe('validation_error');
    },
  );

  it('may begin with several slashes, as clients send it whose base URL ends in one', async () => {
    await suppress(world, world.alice, ['slashes@example.com']);
    await world.as(world.alice).get('//suppressions/slashes@example.com').expect(200);
    await world.as(world.alice).get('///suppressions?limit=1').expect(200);
  });

  it.each(['a/b@example.com', 'a/history@example.com', 'batch/add@example.com'])(
    'may have the address %s unencoded, as the PHP and Java clients send it',
    async (address) => {
      const [id] = await suppress(world, world.alice, [address]);
      const alice = world.as(world.alice);
      const found = await alice.get(`/suppressions/${address}`).expect(200);
      expect(found.body).toMatchObject({ id, email: address });
      const history = await alice.get(`/suppressions/${address}/history?limit=1`).expect(200);
      expect(history.body.data).toHaveLength(1);
      const removed = await alice.delete(`/suppressions/${address}`).expect(200);
      expect(removed.body).toMatchObject({ id, deleted: true });
    },
  );

  it('of / leads to the documentation', async () => {
    const { headers } = await world.anyone.get('/').expect(302);
    expect(headers.location).toBe('/docs');
  });

  it('has no effect on the security headers of the response', async () => {
    const { headers } = await world.as(world.alice).get('/suppressions/nobody@example.com').expect(404);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});
