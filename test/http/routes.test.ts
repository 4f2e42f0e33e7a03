import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { Application } from 'express';
import { RouteAccess, type Access } from '../../src/http/routes/access.js';
import { SCOPES } from '../../src/api-keys/scopes.js';
import { ROLES } from '../../src/console/people/roles.js';
import { createWorld, type World } from '../support/world.js';

/** Served by Swagger UI's module, for everybody: they hold the documentation alone. */
const PUBLIC_DOCUMENTS = /^\/(?:(docs|openapi\.json|favicon\.ico)\b|$)/;

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
      'get /u/:token': 404,
      'post /u/:token': 200,
    });
    const others = statuses.filter(
      ([route]) => !/z$|inbound|sign-in|console\.(?:css|js|svg)|\/u\//.test(String(route)),
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
