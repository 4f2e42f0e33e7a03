import type { Application } from 'express';
import { ageSignIns, signIn } from '../support/console.js';
import { createWorld, type World } from '../support/world.js';

/** What a person needs no role for: signing in and out. */
const FOR_EVERYBODY = /^\/console\/(?:sign-|console\.(?:css|js|svg))/;
/** Pages that only admins may see. */
const FOR_ADMINS = ['/console/audit-log'];
const UNKNOWN_ID = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';

describe('the routes of the console', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const paths = (method: string): string[] => {
    const { router } = world.app.getHttpAdapter().getInstance() as Application;
    return router.stack
      .flatMap(({ route }) => (route?.stack[0]?.method === method ? [route.path] : []))
      .filter((path) => path.startsWith('/console') && !FOR_EVERYBODY.test(path))
      .map((path) => path.replaceAll(/:\w+/g, UNKNOWN_ID));
  };

  it('show every page to a viewer, and refuse every change', async () => {
    const viewer = await signIn(world, 'viewer');
    expect(paths('get').length).toBeGreaterThan(7);
    for (const path of paths('get')) {
      const { status } = await viewer.get(path);
      const expected = path.includes(UNKNOWN_ID) ? 404 : FOR_ADMINS.includes(path) ? 403 : 200;
      expect({ path, status }).toEqual({ path, status: expected });
    }
    expect(paths('post').length).toBeGreaterThan(10);
    for (const path of paths('post')) {
      const { status, text } = await viewer.post(path);
      expect({ path, status, text }).toEqual({
        path,
        status: 403,
        text: expect.stringContaining('Your role is viewer'),
      });
    }
  });

  it('have no methods but GET and POST, which the session guard distinguishes', () => {
    expect([...paths('put'), ...paths('patch'), ...paths('delete')]).toEqual([]);
  });

  it('let an editor change neither keys, people nor settings, and delete neither sources nor webhooks', async () => {
    const editor = await signIn(world, 'editor');
    const { text } = await editor.get('/console/api-keys').expect(200);
    expect(text).not.toContain('Create a key');
    const guarded = paths('post').filter((path) =>
      /api-keys|people|settings|webhooks\/[^/]+$|(?:sources|webhooks)\/[^/]+\/delete/.test(path),
    );
    expect(guarded.length).toBeGreaterThan(7);
    for (const path of guarded) {
      const { status } = await editor.post(path);
      expect({ path, status }).toEqual({ path, status: 403 });
    }
  });

  it.each(['/console/nothing', '/console/list/nothing', '/console/sources/nothing/at/all'])(
    'that do not exist, as %s, have a page that says so only to people who are signed in',
    async (path) => {
      const viewer = await signIn(world, 'viewer');
      const { text } = await viewer
        .get(path)
        .expect(404)
        .expect('Content-Type', /text\/html/);
      expect(text).toContain('There is no such page.');
      const known = await world.anyone.get('/console/list').expect(401);
      for (const method of ['get', 'post', 'delete'] as const) {
        const unknown = await world.anyone[method](path);
        expect({ status: unknown.status, text: unknown.text }).toEqual({ status: 401, text: known.text });
      }
    },
  );

  it('let an admin change keys, secrets, settings and people, and delete sources and webhooks, only within ten minutes of a sign-in', async () => {
    const admin = await signIn(world, 'admin');
    await ageSignIns(world);
    for (const path of paths('post').filter((one) =>
      /api-keys|people|settings|secret|webhooks\/[^/]+$|(?:sources|webhooks)\/[^/]+\/delete/.test(one),
    )) {
      const { status, text } = await admin.post(path);
      expect({ path, status, text }).toEqual({
        path,
        status: 403,
        text: expect.stringContaining('Sign in again first'),
      });
    }
    await admin.post('/console/topics').send({ name: 'Old', default_subscription: 'opt_in' }).expect(303);
  });

  it('stay below 100 kB a page', async () => {
    const viewer = await signIn(world, 'viewer');
    const { text: css } = await viewer.get('/console/console.css').expect(200);
    for (const path of paths('get').filter((one) => !/export|errors/.test(one))) {
      const { text } = await viewer.get(path);
      expect(text.length + css.length).toBeLessThan(100_000);
    }
  });
});
