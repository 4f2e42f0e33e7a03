import { request as httpRequest } from 'node:http';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { Application } from 'express';
import { SCOPES } from '../../src/api-keys/scopes.js';
import { AppModule } from '../../src/app.module.js';
import { RouteAccess, type Access } from '../../src/http/route.js';
import { ROLES } from '../../src/console/people/roles.js';
import { signIn } from '../support/console.js';
import type { ModuleOf } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

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
    expect(documentedOrPublic().filter((path) => !PUBLIC_DOCUMENTS.test(path))).toHaveLength(handlers.length);
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
    });
    const others = statuses.filter(
      ([route]) => !/z$|inbound|sign-in|console\.(?:css|js|svg)|\/u(?:\/|$)/.test(String(route)),
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
  const announceBody = (apiKey: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': '1000',
      };
      const announced = httpRequest(`${world.url}/suppressions`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        announced.destroy();
      });
      announced.on('error', reject).flushHeaders();
    });

  it('a body is read only if the key is valid, has the scope, and is within the rate limit', async () => {
    expect(await announceBody('sup_unknown')).toBe(403);
    expect(await announceBody(world.bob)).toBe(401);
    await until(async () => {
      await Promise.all(Array.from({ length: 6 }, () => world.as(world.alice).get('/suppressions')));
      return (await announceBody(world.alice)) === 429;
    });
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
