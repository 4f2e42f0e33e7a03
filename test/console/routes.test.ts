import type { Application } from 'express';
import { ageSignIns, signIn } from '../support/console.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

/** What a person needs no role for: signing in and out. */
const FOR_EVERYBODY = /^\/console\/(?:sign-|console\.(?:css|js|svg))/;
/** Pages that only admins may see. */
const FOR_ADMINS = [
  '/console/audit-log',
  '/console/personal-data',
  '/console/personal-data/erasures/:erasure',
];
/** Who may send each form. A `recent admin` has signed in within ten minutes. */
const FORMS = {
  '/console/add': 'editor',
  '/console/api-keys': 'recent admin',
  '/console/api-keys/:key/revoke': 'recent admin',
  '/console/api-keys/:key/rotate': 'recent admin',
  '/console/imports': 'editor',
  '/console/imports/:import/cancel': 'editor',
  '/console/imports/:import/import': 'editor',
  '/console/imports/:import/revert': 'editor',
  '/console/incidents/:incident/keep': 'admin',
  '/console/incidents/:incident/lift': 'admin',
  '/console/lift': 'editor',
  '/console/lifts': 'editor',
  '/console/lifts/:lift/apply': 'editor',
  '/console/lifts/:lift/revert': 'editor',
  '/console/people': 'recent admin',
  '/console/people/:person/remove': 'recent admin',
  '/console/people/:person/role': 'recent admin',
  '/console/people/:person/sign-out': 'recent admin',
  '/console/personal-data/erase': 'recent admin',
  '/console/preferences': 'editor',
  '/console/provider-lists': 'recent admin',
  '/console/provider-lists/:provider_list': 'recent admin',
  '/console/provider-lists/:provider_list/delete': 'recent admin',
  '/console/provider-lists/:provider_list/plans': 'editor',
  '/console/provider-lists/:provider_list/plans/:provider_list_plan/accept-stop': 'admin',
  '/console/provider-lists/:provider_list/plans/:provider_list_plan/apply': 'editor',
  '/console/provider-lists/:provider_list/plans/:provider_list_plan/discard': 'editor',
  '/console/provider-lists/:provider_list/removals': 'editor',
  '/console/provider-lists/:provider_list/test': 'editor',
  '/console/rules': 'editor',
  '/console/rules/:rule/delete': 'editor',
  '/console/settings': 'recent admin',
  '/console/sources': 'recent admin',
  '/console/sources/:source/delete': 'recent admin',
  '/console/sources/:source/map': 'editor',
  '/console/sources/:source/pause': 'editor',
  '/console/sources/:source/resume': 'editor',
  '/console/sources/:source/secret': 'recent admin',
  '/console/topics': 'editor',
  '/console/topics/:topic': 'editor',
  '/console/topics/:topic/archive': 'editor',
  '/console/topics/:topic/restore': 'editor',
  '/console/webhooks': 'recent admin',
  '/console/webhooks/:webhook': 'recent admin',
  '/console/webhooks/:webhook/delete': 'recent admin',
  '/console/webhooks/:webhook/deliveries/:event/replay': 'editor',
  '/console/webhooks/:webhook/disable': 'editor',
  '/console/webhooks/:webhook/enable': 'editor',
  '/console/webhooks/:webhook/replay': 'editor',
  '/console/webhooks/:webhook/secret': 'recent admin',
  '/console/webhooks/:webhook/test': 'editor',
};
const UNKNOWN_ID = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';

describe('the routes of the console', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const patterns = (method: string): string[] => {
    const { router } = world.app.getHttpAdapter().getInstance() as Application;
    return router.stack
      .flatMap(({ route }) => (route?.stack[0]?.method === method ? [route.path] : []))
      .filter((path) => path.startsWith('/console') && !FOR_EVERYBODY.test(path));
  };
  const withIds = (pattern: string): string => pattern.replaceAll(/:\w+/g, UNKNOWN_ID);
  const paths = (method: string): string[] => patterns(method).map(withIds);

  it('show every page to a viewer, and refuse every change', async () => {
    const viewer = await signIn(world, 'viewer');
    expect(paths('get').length).toBeGreaterThan(7);
    for (const path of paths('get')) {
      const { status } = await viewer.get(path);
      const isForAdmins = FOR_ADMINS.some((pattern) => withIds(pattern) === path);
      const expected = isForAdmins ? 403 : path.includes(UNKNOWN_ID) ? 404 : 200;
      expect({ path, status }).toEqual({ path, status: expected });
    }
    expect(patterns('post').toSorted()).toEqual(Object.keys(FORMS).toSorted());
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

  it('let an editor change neither keys, secrets, people nor settings, and neither create nor delete sources and webhooks', async () => {
    const editor = await signIn(world, 'editor');
    const keys = await editor.get('/console/api-keys').expect(200);
    expect(keys.text).not.toContain('Create a key');
    for (const [pattern, role] of Object.entries(FORMS)) {
      const { text } = await editor.post(withIds(pattern));
      const isRefused = text.includes('Your role is editor');
      expect({ pattern, isRefused }).toEqual({ pattern, isRefused: role !== 'editor' });
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
      expect(text).toContain('This page does not exist.');
      const known = await world.anyone.get('/console/list').expect(401);
      for (const method of ['get', 'post', 'delete'] as const) {
        const unknown = await world.anyone[method](path);
        expect({ status: unknown.status, text: unknown.text }).toEqual({ status: 401, text: known.text });
      }
    },
  );

  it('let an admin change keys, secrets, people and settings, and create and delete sources and webhooks, only within ten minutes of a sign-in', async () => {
    const admin = await signIn(world, 'admin');
    await ageSignIns(world);
    for (const [pattern, role] of Object.entries(FORMS)) {
      const { status, text } = await admin.post(withIds(pattern));
      const isRefused = status === 403 && text.includes('<h1>Sign in again</h1>');
      expect({ pattern, isRefused }).toEqual({ pattern, isRefused: role === 'recent admin' });
    }
    await admin.post('/console/topics').send({ name: 'Old', default_subscription: 'opt_in' }).expect(303);
  });

  it('stay below 100 kB a page, even with as many and as long texts as fit', async () => {
    const as = world.as(world.alice);
    const long = (length: number) => 'long '.repeat(length / 5);
    const email = `busy@${'long.'.repeat(40)}example`;
    const diagnostic = `550 5.1.1 ${long(1_900)}`;
    const events = Array.from({ length: 30 }, () => ({ type: 'bounce', email, diagnostic }));
    await as.post('/events').send(events).expect(200);
    await as
      .post('/suppressions/batch/add')
      .send({ emails: Array.from({ length: 60 }, (_, n) => `n${n}-${email}`) })
      .expect(201);
    for (let change = 0; change < 30; change++) {
      await as.post('/suppressions').send({ email, note: long(1_000) });
      await as
        .delete(`/suppressions/${email}`)
        .send({ note: long(1_000) })
        .expect(200);
    }
    await world.database.query(
      `INSERT INTO topics (account_id, key, name, default_subscription, visibility)
       SELECT $1, 'many-' || n, rpad('many ' || n || ' ', 50, 'long '), 'opt_out', 'public' FROM generate_series(1, 60) AS n`,
      [world.acme.id],
    );
    await world.database.query(
      `INSERT INTO audit_entries (account_id, actor_type, actor_name, action, subject_id, subject_name, changes)
       SELECT account_id, actor_type, actor_name, action, subject_id, subject_name, changes
       FROM audit_entries, generate_series(1, 60) WHERE account_id = $1 AND action = 'api_key.created'`,
      [world.acme.id],
    );
    const editor = await signIn(world, 'editor');
    const refused = Array.from({ length: 60 }, (_, n) => `${n} ${long(400)}`).join('\n');
    const { headers } = await editor
      .post('/console/imports')
      .type('multipart/form-data')
      .field('dry_run', 'true')
      .attach('file', Buffer.from(`email\n${refused}\n`), { filename: 'list.csv' })
      .expect(303);
    const admin = await signIn(world, 'admin');
    const [{ id } = { id: '' }] = await world.database.query<{ id: string }>(
      'SELECT id FROM sources WHERE account_id = $1',
      [world.acme.id],
    );
    const { text: css } = await admin.get('/console/console.css').expect(200);
    const weigh = async (path: string, content: RegExp) => {
      const { text } = await admin.get(path).expect(200, content);
      const bytes = Buffer.byteLength(text + css);
      expect({ path, isLight: bytes < 100_000, bytes }).toMatchObject({ path, isLight: true });
    };
    await weigh(`/console?q=${email}`, /Only the last \d+ changes/);
    await weigh('/console/list', /Older/);
    await weigh('/console/audit-log', /Older/);
    await weigh(`/console/sources/${id}`, /Older/);
    await until(async () => !(await admin.get(headers.location!)).text.includes('data-running'));
    await weigh(headers.location!, /Not an address/);
    for (const path of paths('get').filter((one) => !/export|errors|:/.test(one))) {
      const { text } = await admin.get(path);
      expect({ path, isLight: Buffer.byteLength(text + css) < 100_000 }).toEqual({ path, isLight: true });
    }
  });
});
