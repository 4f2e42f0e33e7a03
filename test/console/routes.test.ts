import type { Application } from 'express';
import type { Agent } from 'supertest';
import { skipTime } from '../support/clock.js';
import { runCommand } from '../support/command-line.js';
import { ageSignIns, browserAt, invite, signIn } from '../support/console.js';
import { importFile } from '../support/imports.js';
import { applyLift, countLift } from '../support/lifts.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

/** What a person needs no role for: signing in and out. */
const FOR_EVERYBODY = /^\/console\/(?:sign-|console\.(?:css|js|svg))/;

/** Pages that only admins may see. */
const FOR_ADMINS = [
  '/console/audit-log',
  '/console/list/export',
  '/console/personal-data',
  '/console/personal-data/erase',
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
  '/console/unsubscribe': 'editor',
  '/console/webhooks': 'recent admin',
  '/console/webhooks/:webhook': 'recent admin',
  '/console/webhooks/:webhook/delete': 'recent admin',
  '/console/webhooks/:webhook/deliveries/:webhook_event/replay': 'editor',
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
      for (const method of ['get', 'post', 'delete'] as const) {
        const known = await world.anyone[method]('/console/add').expect(401);
        const unknown = await world.anyone[method](path);
        expect({ status: unknown.status, text: unknown.text }).toEqual({ status: 401, text: known.text });
      }
    },
  );

  it('lead from the path of every form to a page', async () => {
    const admin = await signIn(world, 'admin');
    const pages = [...patterns('get'), '/console'].map(withIds);
    for (const path of paths('post').filter((form) => !pages.includes(form))) {
      const { status, headers } = await admin.get(path);
      expect({ path, status, isPage: pages.includes(headers.location!) }).toEqual({
        path,
        status: 303,
        isPage: true,
      });
    }
    await admin.get('/console/personal-data/erase').expect(303).expect('Location', '/console');
    await world.anyone.get('/console/lift').expect(401);
  });

  it('say what to do with a form that was sent after the session ended', async () => {
    const { text } = await world.anyone.post('/console/add').send({ emails: 'late@example.com' }).expect(401);
    expect(text).toContain('Nothing was changed. To send the form again, sign in on another tab');
    expect((await world.anyone.get('/console').expect(401)).text).not.toContain('Nothing was changed');
  });

  it('refuse a form from a page of another account, since all tabs share the latest sign-in', async () => {
    const admin = await signIn(world, 'admin');
    const { text } = await admin.get('/console').expect(200);
    const [, action] = /action="(\/console\/add[^"]*)"/.exec(text)!;
    const elsewhere = await signIn(world, 'admin', 'admin@globex.example', 'globex');
    const form = { emails: 'tab@example.com' };
    await elsewhere
      .post(action!)
      .send(form)
      .expect(403)
      .expect(/Nothing was changed: .* this browser is now signed in to globex\./);
    await elsewhere.get('/console/list/export?format=csv&account=acme').expect(403);
    await admin.post(action!).send(form).expect(303);
    for (const path of paths('get').filter((page) => !page.includes(UNKNOWN_ID))) {
      const page = (await admin.get(path)).text ?? '';
      const urls = [...page.matchAll(/method="post" action="([^"]+)"/g)].map(([, url]) => url!);
      const others = urls.filter((url) => url !== '/console/sign-out' && !url.endsWith('?account=acme'));
      expect({ path, others }).toEqual({ path, others: [] });
    }
  });

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

/** Each of two waits is shorter than a statement may take, and both together are longer than a request may. */
const FIRST_WAIT_MS = 2_500;

/** An upload waits for its file, and these changes may touch millions of rows, so they have limits of their own. */
const PATIENT = [
  '/console/imports',
  '/console/sources/:source/map',
  '/console/sources/:source/delete',
  '/console/webhooks/:webhook/delete',
];

describe('a form of the console that takes too long', () => {
  let world: World;
  let admin: Agent;
  /** By the pattern of the route. */
  let forms: Record<string, { path?: string; fields?: object }>;

  beforeAll(async () => {
    world = await createWorld({ DATABASE_POOL_SIZE: '80', SECRETS_KEY: '11'.repeat(32) });
    admin = await signIn(world, 'admin');
    forms = await prepareForms();
  });
  afterAll(() => world.close());

  /** A form for every route, each of which would be accepted. */
  async function prepareForms(): Promise<typeof forms> {
    const as = world.as(world.alice);
    const idOf = async (table: string, condition = 'true') =>
      (await world.database.query<{ id: string }>(`SELECT id FROM ${table} WHERE ${condition} LIMIT 1`))[0]!
        .id;
    await as.post('/suppressions').send({ email: 'listed@example.com' }).expect(201);
    await as.post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    await as.post('/rules').send({ pattern: 'example.com', effect: 'allow' }).expect(201);
    await admin.post('/console/sources').send({ provider: 'mailgun', name: 'Mailgun' }).expect(200);
    await signIn(world, 'viewer');
    const link = new URL(await invite(world, 'viewer', 'late@acme.example')).pathname;
    const { id: imported } = await importFile(world, world.alice, 'email\nimported@example.com\n');
    const newWebhook = { endpoint: 'https://example.com/hook', events: ['suppression.added'] };
    const { body: hook } = await as.post('/webhooks').send(newWebhook).expect(201);
    const { body: event } = await as.post(`/webhooks/${hook.id}/test`).expect(202);
    const [topic, rule, source, key, person] = [
      await idOf('topics'),
      await idOf('rules'),
      await idOf('sources'),
      await idOf('api_keys', `name = 'bob'`),
      await idOf('people', `email = 'viewer@acme.example'`),
    ];
    const [incident] = await world.database.query<{ id: string }>(
      `INSERT INTO incidents (account_id, id, receiving_group, opened_at, active_at, is_convincing, held_through)
      VALUES ($1, uuid_v7(), 'gmail', now(), now(), true, uuid_v7())
      RETURNING id`,
      [world.acme.id],
    );
    const manual = { cause: 'manual', created_after: '2020-01-01' };
    const listBody = {
      provider: 'resend',
      name: 'Resend',
      scope: {},
      credentials: { api_key: 're_1' },
    };
    const { body: list } = await as.post('/provider-lists').send(listBody).expect(201);
    const planOf = async (status: string) =>
      (
        await world.database.query<{ id: string }>(
          `INSERT INTO provider_list_plans (account_id, id, provider_list_id, job_id, status, is_scheduled)
          VALUES ($1, uuid_v7(), $2, uuid_v7(), $3, false)
          RETURNING id`,
          [world.acme.id, list.id, status],
        )
      )[0]!.id;
    const plans = `/console/provider-lists/${list.id}/plans`;
    const [ready, stopped] = [await planOf('ready'), await planOf('stopped')];
    const applied = await countLift(world, world.alice, { ...manual, domains: ['none.example'] });
    await applyLift(world, world.alice, applied.id);
    const plan = await countLift(world, world.alice, manual);
    return {
      '/console/add': { fields: { emails: 'late@example.com' } },
      '/console/lift': { fields: { email: 'listed@example.com', cause: 'manual 2026-01-15T09:30:00.000Z' } },
      '/console/topics': { fields: { name: 'Late', default_subscription: 'opt_in' } },
      '/console/topics/:topic': { path: `/console/topics/${topic}`, fields: { name: 'Late' } },
      '/console/topics/:topic/archive': { path: `/console/topics/${topic}/archive` },
      '/console/topics/:topic/restore': { path: `/console/topics/${topic}/restore` },
      '/console/preferences': { fields: { email: 'late@example.com', choice: `${topic} opt_out` } },
      '/console/unsubscribe': { fields: { email: 'late@example.com' } },
      '/console/rules': { fields: { pattern: 'late.example', effect: 'block' } },
      '/console/rules/:rule/delete': { path: `/console/rules/${rule}/delete` },
      '/console/imports/:import/cancel': { path: `/console/imports/${imported}/cancel` },
      '/console/imports/:import/import': { path: `/console/imports/${imported}/import` },
      '/console/imports/:import/revert': { path: `/console/imports/${imported}/revert` },
      '/console/incidents/:incident/keep': { path: `/console/incidents/${incident!.id}/keep` },
      '/console/incidents/:incident/lift': { path: `/console/incidents/${incident!.id}/lift` },
      '/console/lifts': { fields: manual },
      '/console/lifts/:lift/apply': {
        path: `/console/lifts/${plan.id}/apply`,
        fields: { confirm: plan.count },
      },
      '/console/lifts/:lift/revert': { path: `/console/lifts/${applied.id}/revert` },
      '/console/provider-lists': { fields: { provider: 'resend', credential_api_key: 're_late' } },
      '/console/provider-lists/:provider_list': {
        path: `/console/provider-lists/${list.id}`,
        fields: { name: 'Late' },
      },
      '/console/provider-lists/:provider_list/delete': { path: `/console/provider-lists/${list.id}/delete` },
      '/console/provider-lists/:provider_list/test': { path: `/console/provider-lists/${list.id}/test` },
      '/console/provider-lists/:provider_list/plans': { path: plans },
      '/console/provider-lists/:provider_list/removals': {
        path: `/console/provider-lists/${list.id}/removals`,
        fields: { emails: 'late@example.com', consent_kind: 'our_error', consent_reference: 'Case 4711' },
      },
      '/console/provider-lists/:provider_list/plans/:provider_list_plan/apply': {
        path: `${plans}/${ready}/apply`,
      },
      '/console/provider-lists/:provider_list/plans/:provider_list_plan/accept-stop': {
        path: `${plans}/${stopped}/accept-stop`,
      },
      '/console/provider-lists/:provider_list/plans/:provider_list_plan/discard': {
        path: `${plans}/${ready}/discard`,
      },
      '/console/sources': { fields: { provider: 'mailgun', name: 'Late' } },
      '/console/sources/:source/pause': { path: `/console/sources/${source}/pause` },
      '/console/sources/:source/resume': { path: `/console/sources/${source}/resume` },
      '/console/sources/:source/secret': {
        path: `/console/sources/${source}/secret`,
        fields: { name: 'signing_key', value: 'key-0123456789abcdef0123456789abcdef' },
      },
      '/console/webhooks': { fields: { endpoint: 'https://late.example/hook', events: 'suppression.added' } },
      '/console/webhooks/:webhook': {
        path: `/console/webhooks/${hook.id}`,
        fields: { endpoint: 'https://late.example/hook', events: 'suppression.added' },
      },
      '/console/webhooks/:webhook/test': { path: `/console/webhooks/${hook.id}/test` },
      '/console/webhooks/:webhook/enable': { path: `/console/webhooks/${hook.id}/enable` },
      '/console/webhooks/:webhook/disable': { path: `/console/webhooks/${hook.id}/disable` },
      '/console/webhooks/:webhook/secret': { path: `/console/webhooks/${hook.id}/secret` },
      '/console/webhooks/:webhook/replay': {
        path: `/console/webhooks/${hook.id}/replay`,
        fields: { since: '2026-01-15' },
      },
      '/console/webhooks/:webhook/deliveries/:webhook_event/replay': {
        path: `/console/webhooks/${hook.id}/deliveries/${event.id}/replay`,
      },
      '/console/settings': {
        fields: { removal: 'open', complaint_reach: 'marketing', bounce_expiry: '7d' },
      },
      '/console/api-keys': { fields: { name: 'late', scopes: 'rules:read', days: '' } },
      '/console/api-keys/:key/rotate': { path: `/console/api-keys/${key}/rotate` },
      '/console/api-keys/:key/revoke': { path: `/console/api-keys/${key}/revoke` },
      '/console/people': { fields: { email: 'later@acme.example', role: 'viewer' } },
      '/console/people/:person/role': { path: `/console/people/${person}/role`, fields: { role: 'editor' } },
      '/console/people/:person/sign-out': { path: `/console/people/${person}/sign-out` },
      '/console/people/:person/remove': { path: `/console/people/${person}/remove` },
      '/console/personal-data/erase': {
        fields: {
          email: 'late@example.com',
          typed: 'late@example.com',
          reference: 'Case 4711',
          accept: 'yes',
        },
      },
      '/console/sign-in/:token': { path: link },
      '/console/sign-out': {},
    };
  }

  const routes = (): string[] => {
    const { router } = world.app.getHttpAdapter().getInstance() as Application;
    return router.stack
      .flatMap(({ route }) => (route?.stack[0]?.method === 'post' ? [route.path] : []))
      .filter((path) => path.startsWith('/console') && !PATIENT.includes(path));
  };

  /** The rows that forms change, without those that the delivery of webhooks changes at any time. */
  const contents = () =>
    world.database.query(`
      SELECT
        (SELECT json_agg(t) FROM (SELECT * FROM accounts ORDER BY id) AS t) AS accounts,
        (SELECT json_agg(t) FROM (SELECT id, expires_at, revoked_at FROM api_keys ORDER BY id) AS t) AS keys,
        (SELECT json_agg(t) FROM (SELECT * FROM people ORDER BY id) AS t) AS people,
        (SELECT json_agg(t) FROM (SELECT token_hash FROM sign_in_links ORDER BY 1) AS t) AS links,
        (SELECT json_agg(t) FROM (SELECT token_hash FROM console_sessions ORDER BY 1) AS t) AS sessions,
        (SELECT json_agg(t) FROM (SELECT * FROM sources ORDER BY id) AS t) AS sources,
        (SELECT json_agg(t) FROM (SELECT * FROM topics ORDER BY id) AS t) AS topics,
        (SELECT json_agg(t) FROM (SELECT * FROM topic_preferences ORDER BY email) AS t) AS preferences,
        (SELECT json_agg(t) FROM (SELECT * FROM rules ORDER BY id) AS t) AS rules,
        (SELECT json_agg(t) FROM (SELECT * FROM suppressions ORDER BY id) AS t) AS suppressions,
        (SELECT json_agg(t) FROM (SELECT id, status FROM webhooks ORDER BY id) AS t) AS webhooks,
        (SELECT count(*) FROM webhook_deliveries) AS deliveries,
        (SELECT count(*) FROM jobs) AS jobs,
        (SELECT count(*) FROM audit_entries) AS entries`);

  it('gets 503 on every route, and changes nothing', async () => {
    expect(Object.keys(forms).toSorted()).toEqual(routes().toSorted());
    const before = await contents();
    const reads = await world.database.lock('accounts');
    const writes = await world.database.lockWrites('accounts');
    const answers = Promise.all(
      Object.entries(forms).map(async ([route, { path = route, fields = {} }]) => {
        const browser = route.startsWith('/console/sign-in') ? browserAt(world) : admin;
        const { status, type } = await browser.post(path).send(fields);
        return { route, status, type };
      }),
    );
    await world.database.untilWaiting(Object.keys(forms).length);
    skipTime(FIRST_WAIT_MS);
    await reads.release();
    const answered = await answers;
    await writes.release();
    for (const answer of answered) {
      expect(answer).toEqual({ route: answer.route, status: 503, type: 'text/html' });
    }
    await until(async () => (await world.database.countBusy()) === 0);
    expect(await contents()).toEqual(before);
  });

  it('can be sent again', async () => {
    const { path } = forms['/console/sign-in/:token']!;
    await browserAt(world).post(path!).expect(303);
    await admin.post('/console/people').send(forms['/console/people']!.fields).expect(200);
  });
});

describe('a form that is sent more than ten minutes after the sign-in', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const NOTICE = 'You are signed in again. Nothing has been changed yet';

  /** Sends a form from a page with an old sign-in, and signs in again with a link. */
  async function sendLate(page: string, action: string, fields: string) {
    const email = 'ada@acme.example';
    const browser = await signIn(world, 'admin', email);
    await ageSignIns(world);
    const refused = await browser
      .post(action)
      .set('Referer', world.url + page)
      .send(fields)
      .expect(403);
    const { pathname } = new URL(await invite(world, 'admin', email));
    const signedIn = await browser.post(pathname).expect(303);
    return { browser, refused, location: signedIn.headers.location! };
  }

  it.each([
    [
      '/console/api-keys?limit=1',
      '/console/api-keys',
      'name=late&scopes=rules%3Aread&days=90',
      'value="late"',
    ],
    [
      '/console/people',
      '/console/people',
      'email=max%40acme.example&role=editor',
      'value="max@acme.example"',
    ],
    ['/console/settings', '/console/settings', 'removal=open&bounce_expiry=11d', 'value="11d"'],
    [
      '/console/sources/new?provider=ses',
      '/console/sources',
      'provider=ses&name=late&failures=7&days=8',
      'value="late"',
    ],
    ['/console/sources', '/console/sources', 'provider=postmark&name=late&failures=7&days=8', 'value="late"'],
    [
      '/console/webhooks',
      '/console/webhooks',
      'endpoint=https%3A%2F%2Flate.example%2Fhook&events=suppression.added',
      'value="https://late.example/hook"',
    ],
  ])('of %s keeps what was entered until another sign-in', async (page, action, fields, shown) => {
    const { browser, refused, location } = await sendLate(page, action, fields);
    expect(refused.text).toContain('<h1>Sign in again</h1>');
    expect(refused.text).toContain('What you entered is kept.');
    expect(location).toBe(page);
    const { text } = await browser.get(page).expect(200);
    expect(text).toContain(NOTICE);
    expect(text).toContain(shown);
    expect((await browser.get(page).expect(200)).text).not.toContain(shown);
    await browser
      .post(action)
      .send(fields)
      .expect(/^(?!.*Sign in again)/s);
  });

  it.each(['', '/secret'])('keeps a secret of a source%s, but not where others can read it', async (at) => {
    const settings = { DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY };
    const create = 'source create --account acme --provider resend --json';
    const { id } = JSON.parse((await runCommand(create.split(' '), settings, '/tmp')).stdout) as {
      id: string;
    };
    const path = `/console/sources/${id}`;
    const page = path + at;
    const secret = 'whsec_c2VjcmV0LXRoYXQtd2FzLXR5cGVk';
    const fields = `name=signing_secret&value=${secret}`;
    const { browser, refused, location } = await sendLate(page, `${path}/secret`, fields);
    const [cookie] = refused.headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(/^console-form=.*; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/);
    const [, value] = /=([^;]+)/.exec(cookie!)!;
    for (const part of value!.split('.')) {
      expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain('secret-that');
      expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain('whsec_');
    }
    expect(refused.text).not.toContain(secret);
    expect(location).toBe(page);
    expect((await browser.get(page).expect(200)).text).toContain(`value="${secret}"`);
  });

  it('is kept until its page can be shown', async () => {
    const page = '/console/api-keys';
    const { browser } = await sendLate(page, page, 'name=late&scopes=rules%3Aread&days=');
    const lock = await world.database.lock('api_keys');
    const status = browser.get(page).then((response) => response.status);
    await world.database.cancelWaiting();
    expect(await status).toBe(503);
    await lock.release();
    expect((await browser.get(page).expect(200)).text).toContain('value="late"');
    expect((await browser.get(page).expect(200)).text).not.toContain('value="late"');
  });

  it('is not shown to another person, on another page, or after signing out', async () => {
    const page = '/console/api-keys';
    const { browser, refused } = await sendLate(page, page, 'name=late&scopes=rules%3Aread&days=');
    const [cookie] = (refused.headers['set-cookie'] as unknown as string[])[0]!.split(';');
    expect((await browser.get('/console/people').expect(200)).text).not.toContain(NOTICE);
    const other = await signIn(world, 'admin', 'eve@acme.example');
    const answer = await other.get(page).set('Cookie', cookie!);
    expect(answer.text).not.toContain('value="late"');
    await ageSignIns(world);
    expect((await browser.get(page).expect(200)).text).not.toContain('value="late"');
    await browser.post('/console/sign-out').expect(303);
    const { pathname } = new URL(await invite(world, 'admin', 'ada@acme.example'));
    expect((await browser.post(pathname).expect(303)).headers.location).toBe('/console');
  });

  it('leads nowhere but to a page of the console', async () => {
    const { pathname } = new URL(await invite(world, 'admin', 'ada@acme.example'));
    const forged = Buffer.from('/console/../u/token').toString('base64url');
    const { headers } = await browserAt(world).post(pathname).set('Cookie', `console-form=${forged}.x`);
    expect(headers.location).toBe('/console');
  });

  it('says that a form is too long to be kept', async () => {
    const endpoint = `https://late.example/${'x'.repeat(4_000)}`;
    const fields = `endpoint=${encodeURIComponent(endpoint)}`;
    const { refused, location } = await sendLate('/console/webhooks', '/console/webhooks', fields);
    expect(refused.text).toContain('could not be kept: go back and copy it');
    expect(location).toBe('/console');
  });

  it('is repeated by hand if nothing was entered', async () => {
    const email = 'ada@acme.example';
    const browser = await signIn(world, 'admin', email);
    const created = await browser
      .post('/console/api-keys')
      .send('name=k&scopes=rules%3Aread&days=')
      .expect(200);
    const [, path] = /action="(\/console\/api-keys\/[\w-]+\/revoke)\?/.exec(created.text)!;
    await ageSignIns(world);
    const refused = await browser.post(path!).expect(403);
    expect(refused.text).toContain('Sign in again, then repeat it.');
    expect(refused.headers['set-cookie']).toBeUndefined();
  });
});
