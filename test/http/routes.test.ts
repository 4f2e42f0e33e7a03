import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { Application } from 'express';
import { SCOPES } from '../../src/api-keys/scopes.js';
import { AppModule } from '../../src/app.module.js';
import { ROLES } from '../../src/console/people/roles.js';
import { type Access, RouteAccess } from '../../src/http/route.js';
import { signIn } from '../support/console.js';
import type { ModuleOf } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

/** Served by Swagger UI's module, for everybody: they hold the documentation alone. */
const PUBLIC_DOCUMENTS = /^\/(?:(docs|openapi\.json|favicon\.ico|llms\.txt)\b|$)/;

function saysWhom(access: Access): boolean {
  if ('scope' in access) {
    return (SCOPES as readonly string[]).includes(access.scope);
  }
  return 'role' in access
    ? (ROLES as readonly string[]).includes(access.role)
    : access.publicReason.length > 20;
}

describe('the routes', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('each declare who may call them: a scope, a role, or why they are public', () => {
    const reflector = new Reflector();
    const controllers = [...world.app.get(ModulesContainer).values()].flatMap((module) => [
      ...module.controllers.values(),
    ]);
    const handlers = controllers.flatMap(({ metatype }) =>
      new MetadataScanner()
        .getAllMethodNames(metatype!.prototype)
        .map((name) => ({ name, metatype: metatype!, handler: metatype!.prototype[name] }))
        .filter(({ handler }) => Reflect.hasMetadata('path', handler)),
    );
    expect(handlers.length).toBeGreaterThan(9);
    for (const { name, metatype, handler } of handlers) {
      const access = reflector.getAllAndOverride(RouteAccess, [handler, metatype as never]);
      const says = access && saysWhom(access);
      expect({ handler: `${metatype.name}.${name}`, says }).toEqual({
        handler: `${metatype.name}.${name}`,
        says: true,
      });
    }
    const paths = handlers.flatMap(
      ({ handler }) => Reflect.getMetadata('path', handler) as string | string[],
    );
    expect(documentedOrPublic().filter((path) => !PUBLIC_DOCUMENTS.test(path))).toHaveLength(paths.length);
  });

  it('refuse a request without a key or a session, unless they are public', async () => {
    const statuses = await Promise.all(
      documentedOrPublic()
        .filter((path) => !PUBLIC_DOCUMENTS.test(path))
        .map(async (route) => {
          const [method, path] = route.split(' ') as ['get' | 'post' | 'patch' | 'delete', string];
          const { status } = await world.anyone[method](
            path.replace(/:(?!source)\w+/, 'ada@example.com'),
          ).send();
          return [route, status];
        }),
    );
    expect(Object.fromEntries(statuses)).toMatchObject({ 'get /healthz': 200, 'get /readyz': 200 });
    expect(Object.fromEntries(statuses)).toMatchObject({
      'post /inbound/:source': 404,
      'get /u/icon.svg': 200,
      'get /u/page.css': 200,
      'get /u': 404,
      'post /u': 200,
      'get /u/:token': 404,
      'post /u/:token': 200,
      'post /console/sign-out': 403,
    });
    const others = statuses.filter(
      ([route]) => !/z$|inbound|sign-(?:in|out)|console\.(?:css|js|svg)|\/u(?:\/|$)/.test(String(route)),
    );
    expect(others.map(([, status]) => status)).toEqual(others.map(() => 401));
  });

  /** Every route that Express has, as `get /path`, or its path alone where it belongs to the documents. */
  function documentedOrPublic(): string[] {
    const { router } = world.app.getHttpAdapter().getInstance() as Application;
    return router.stack.flatMap(({ route }) =>
      route
        ? route.stack
            .slice(0, 1)
            .map(({ method }) => (PUBLIC_DOCUMENTS.test(route.path) ? route.path : `${method} ${route.path}`))
        : [],
    );
  }
});

type Layer = Application['router']['stack'][number] & { match(path: string): boolean };

const REVERSED: ModuleOf = (env) => {
  const { imports = [], ...module } = AppModule.forRoot(env);
  return { ...module, imports: imports.toReversed() };
};

describe.each([
  ['as they are', undefined],
  ['reversed', REVERSED],
])('with the imports of the application %s', (_, moduleOf) => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ RATE_LIMIT: '5' }, moduleOf)));
  afterAll(() => world.close());

  /** The response to a request that announces a body and does not send it. */
  const announceBody = (method: string, path: string, given: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-length': '1000', ...given };
      const announced = httpRequest(world.url + path, { method, headers }, (response) => {
        resolve(response.statusCode);
        announced.destroy();
      });
      announced.on('error', reject).flushHeaders();
    });
  const announceJson = (apiKey: string) =>
    announceBody('POST', '/suppressions', {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    });

  it('a body is read only if the key is valid, has the scope, and is within the rate limit', async () => {
    expect(await announceJson('sup_unknown')).toBe(403);
    expect(await announceJson(world.bob)).toBe(401);
    await until(async () => {
      await Promise.all(Array.from({ length: 6 }, () => world.as(world.alice).get('/suppressions')));
      return (await announceJson(world.alice)) === 429;
    });
  });

  it.each([
    ['GET', '/console/sign-in', 200],
    ['POST', `/console/sign-in/${'x'.repeat(43)}`, 403],
    ['GET', '/console/sign-in/oidc', 404],
    ['POST', '/console/add', 401],
  ])('no form is read for a person who is not signed in: %s %s', async (method, path, status) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'br' };
    expect(await announceBody(method, path, form)).toBe(status);
  });

  it('only requests with a valid key or session count', async () => {
    const page = await (await signIn(world, 'viewer')).get('/console').expect(200);
    const list = await world.as(world.charlie).get('/suppressions').expect(200);
    const refused = await world.as(world.bob).post('/suppressions').expect(401);
    const limits = [page, list, refused].map(({ headers }) => headers['ratelimit-limit']);
    expect(limits).toEqual(['5', '5', undefined]);
  });

  it('each route gets its own requests', async () => {
    const { router } = world.app.getHttpAdapter().getInstance() as Application;
    const layers = (router.stack as Layer[]).filter(
      ({ route }) => route && !PUBLIC_DOCUMENTS.test(route.path),
    );
    const matching = (method: string, path: string) =>
      layers.filter((layer) => layer.route!.stack[0]!.method === method && layer.match(path));
    const taken = layers.flatMap(({ route }) => {
      const { path, stack } = route!;
      const [first] = matching(stack[0]!.method, path.replace(/[:*]/g, ''));
      return first!.route === route ? [] : [`${first!.route!.path} takes ${path}`];
    });
    expect(taken).toEqual([]);
    expect((await world.as(world.charlie).get('/suppressions/count')).body).toMatchObject({
      object: 'count',
    });
    expect((await world.as(world.charlie).get('/suppressions/summary')).body).toMatchObject({
      object: 'summary',
    });
  });
});

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
    '/docs-json',
    '/docs-yaml',
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
    ['/webhooks//webhooks/1', '/webhooks', '/webhooks/1'],
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

  it.each(['/webhooks//events', '/webhooks//deliveries/1', '/rules//history'])(
    'with an empty id, as %s, returns 400 and says so',
    async (path) => {
      const { body } = await world.as(world.alice).get(path).expect(400);
      expect(body.message).toMatch(/An id in the path is empty\.$/);
    },
  );

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

describe('the adapter', () => {
  it('passes Express requests and responses that already have its prototypes', async () => {
    const world = await createWorld();
    const { request, response } = world.app.getHttpAdapter().getInstance();
    const prototypes: object[] = [];
    world.app
      .getHttpServer()
      .prependListener('request', (...pair: [IncomingMessage, ServerResponse]) =>
        prototypes.push(...pair.map((one) => Object.getPrototypeOf(one))),
      );
    await world.anyone.get('/healthz').expect(200);
    expect(prototypes[0]).toBe(request);
    expect(prototypes[1]).toBe(response);
    await world.close();
  });
});
