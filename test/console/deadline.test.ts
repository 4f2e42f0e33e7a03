import type { Application } from 'express';
import type { Agent } from 'supertest';
import { skipTime } from '../support/clock.js';
import { browserAt, invite, signIn } from '../support/console.js';
import { importFile } from '../support/imports.js';
import { applyLift, countLift } from '../support/lifts.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

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
      '/console/lift': { fields: { email: 'listed@example.com', cause: 'manual' } },
      '/console/topics': { fields: { name: 'Late', default_subscription: 'opt_in' } },
      '/console/topics/:topic': { path: `/console/topics/${topic}`, fields: { name: 'Late' } },
      '/console/topics/:topic/archive': { path: `/console/topics/${topic}/archive` },
      '/console/topics/:topic/restore': { path: `/console/topics/${topic}/restore` },
      '/console/preferences': { fields: { email: 'late@example.com', choice: `${topic} opt_out` } },
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
      '/console/webhooks/:webhook/deliveries/:event/replay': {
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
