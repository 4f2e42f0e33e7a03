import { randomUUID } from 'node:crypto';
import { CompareJob } from '../../src/provider-lists/comparison/compare-job.js';
import { ListCredentials } from '../../src/provider-lists/list-credentials.js';
import type { ProviderList } from '../../src/provider-lists/provider-list.entity.js';
import { listProviderOf } from '../../src/provider-lists/providers/providers.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { untilErased } from '../support/erasures.js';
import { cutOff, failOnce, type Fault, holdNext } from '../support/fake-providers/fake-provider.js';
import { type FakeMailgun, startFakeMailgun } from '../support/fake-providers/mailgun.js';
import { type FakeSendGrid, startFakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { type FakeSes, startFakeSes } from '../support/fake-providers/ses.js';
import {
  compare,
  createComparedList,
  createComparedSesList,
  createList,
  createSendGridList,
  createSesList,
  linesOf,
  SES_LIST,
  settled,
} from '../support/provider-lists.js';
import { createSource } from '../support/sources.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createKey, createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const SECRET = SES_LIST.credentials.secret_access_key;

describe('/provider-lists', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  beforeAll(async () => {
    ses = await startFakeSes();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SES: ses.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
  });

  const create = (body: object, key = world.alice) => world.as(key).post('/provider-lists').send(body);

  const hasSucceeded = (id: string) =>
    world.database.query('UPDATE provider_lists SET last_success_at = now() WHERE id = $1', [id]);

  it('creates a list with its defaults, and never returns its credentials', async () => {
    const { body } = await create(SES_LIST).expect(201);
    expect(body).toEqual({
      object: 'provider_list',
      id: expect.any(String),
      provider: 'ses',
      name: 'SES in Ireland',
      scope: { region: 'eu-west-1' },
      source: null,
      shared: false,
      pull: false,
      push_additions: false,
      push_removals: false,
      push_unsubscribes: false,
      pushes: { pending: 0, failed: 0, unexamined: 0, oldest_at: null },
      interval: '1d',
      status: 'active',
      last_success_at: null,
      last_error: null,
      counts: null,
      next_plan_at: expect.any(String),
      created_at: expect.any(String),
    });
    const { body: page } = await world.as(world.alice).get('/provider-lists').expect(200);
    expect(page.data).toEqual([body]);
    await world.as(world.alice).delete(`/provider-lists/${body.id}`).expect(200);
  });

  it('reads null as absence', async () => {
    const { body: list } = await create({ ...SES_LIST, interval: null, pull: null }).expect(201);
    expect(list).toMatchObject({ pull: false, interval: '1d' });
    const patch = (changes: object) =>
      world.as(world.alice).patch(`/provider-lists/${list.id}`).send(changes).expect(200);
    const { body: pulling } = await patch({ name: null, credentials: null, pull: true, interval: '2d' });
    expect(pulling).toEqual({ ...list, pull: true, interval: '2d' });
    expect((await patch({ pull: null, shared: null, interval: null })).body).toEqual(pulling);
  });

  it('stores the credentials encrypted, and shows them in no response, audit entry, or log line', async () => {
    const id = await createSesList(world, world.alice);
    await world.as(world.alice).patch(`/provider-lists/${id}`).send({ pull: true }).expect(200);
    ses.faults.push(failOnce(403));
    await world.as(world.alice).post(`/provider-lists/${id}/test`).expect(200);
    ses.faults.push(failOnce(403));
    await compare(world, world.alice, id);
    const rows = await world.database.query('SELECT row_to_json(provider_lists) FROM provider_lists');
    const { text } = await world.as(world.alice).get('/audit-log').expect(200);
    const { text: lists } = await world.as(world.alice).get('/provider-lists').expect(200);
    const everything = [JSON.stringify(rows), text, lists, JSON.stringify(world.logLines())].join();
    expect(everything).not.toContain(SECRET);
    expect(text).toContain('provider_list.tested');
  });

  it.each([
    [{ provider: 'ses', scope: {} }, 'scope.region'],
    [{ provider: 'ses', scope: { region: 'evil.example.com/' } }, 'scope.region'],
    [{ provider: 'ses', scope: { region: 'eu-west-1', host: 'x' } }, 'scope.host'],
    [{ provider: 'ses', credentials: { access_key_id: 'A' } }, 'credentials.secret_access_key'],
    [{ provider: 'ses', credentials: { access_key_id: 'A\r\nX: y', secret_access_key: 'b' } }, 'credentials'],
    [{ provider: 'mailgun', scope: { domain: '../bounces' }, credentials: { api_key: 'k' } }, 'scope.domain'],
    [{ provider: 'postmark', scope: { stream: 'a/b' }, credentials: { server_token: 't' } }, 'scope.stream'],
    [{ provider: 'mailchimp' }, 'provider'],
    [{ interval: '59m' }, 'interval'],
    [{ interval: '31d' }, 'interval'],
    [{ pull: 'yes' }, 'pull'],
    [{ push_additions: 1 }, 'push_additions'],
    [{ push_removals: 'yes' }, 'push_removals'],
    [{ push_removals: true, shared: true }, 'shared'],
    [{ colour: 'red' }, 'colour'],
  ])('refuses %j, and creates nothing', async (wrong, path) => {
    const { body } = await create({ ...SES_LIST, ...wrong }).expect(400);
    expect(body.errors[0].path).toContain(path);
    expect((await world.as(world.alice).get('/provider-lists').expect(200)).body.data).toEqual([]);
  });

  it('does not let an account occupy the scope of another one with credentials that have never worked', async () => {
    const mailgun = { provider: 'mailgun', name: 'Mailgun', scope: { domain: 'mg.example.net' } };
    const squatter = await createList(world, world.charlie, {
      ...mailgun,
      credentials: { api_key: 'bogus' },
    });
    const owner = await createList(world, world.alice, { ...mailgun, credentials: { api_key: 'key-1' } });
    await hasSucceeded(owner);
    const path = `/provider-lists/${squatter}`;
    await world
      .as(world.charlie)
      .patch(path)
      .send({ credentials: { api_key: 'key-2' } })
      .expect(409);
  });

  it('refuses a second list with the same scope, in any account, unless both are shared', async () => {
    const mailgun = {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: 'mg.example.com' },
      credentials: { api_key: 'key-1' },
    };
    const first = await createList(world, world.alice, mailgun);
    await hasSucceeded(first);
    for (const key of [world.alice, world.charlie]) {
      for (const shared of [false, true]) {
        const again = { ...mailgun, credentials: { api_key: 'key-2' }, shared };
        const { body } = await create(again, key).expect(409);
        expect(body.code).toBe('provider_list_scope_taken');
      }
    }
    await world.as(world.alice).patch(`/provider-lists/${first}`).send({ shared: true }).expect(200);
    const second = await createList(world, world.charlie, { ...mailgun, shared: true });
    await hasSucceeded(second);
    await world.as(world.alice).patch(`/provider-lists/${first}`).send({ shared: false }).expect(409);
    await createList(world, world.alice, { ...mailgun, scope: { domain: 'mg.example.com', region: 'eu' } });
    await world.as(world.charlie).delete(`/provider-lists/${second}`).expect(200);
    await world.as(world.alice).patch(`/provider-lists/${first}`).send({ shared: false }).expect(200);
    await world.as(world.alice).delete(`/provider-lists/${first}`).expect(200);
  });

  it('compares credentials where the scope does not identify the list, even when they are replaced', async () => {
    const resend = { provider: 'resend', name: 'Resend', credentials: { api_key: 're_same' } };
    const id = await createList(world, world.alice, resend);
    await hasSucceeded(id);
    await create(resend, world.charlie).expect(409);
    const other = await createList(world, world.charlie, { ...resend, credentials: { api_key: 're_2' } });
    const path = `/provider-lists/${other}`;
    await world.as(world.charlie).patch(path).send({ credentials: resend.credentials }).expect(409);
    await world.as(world.alice).delete(`/provider-lists/${id}`).expect(200);
    await world.as(world.charlie).patch(path).send({ credentials: resend.credentials }).expect(200);
    await world.as(world.charlie).delete(path).expect(200);
  });

  it('belongs to one account: for another, neither the list nor its plans exist', async () => {
    const id = await createSesList(world, world.alice);
    ses.list('ada@example.com');
    const plan = await compare(world, world.alice, id);
    const other = await createSesList(world, world.charlie);
    const as = world.as(world.charlie);
    for (const path of [`/provider-lists/${id}`, `/provider-lists/${id}/plans`]) {
      await as.get(path).expect(404);
    }
    for (const list of [id, other]) {
      const path = `/provider-lists/${list}/plans/${plan.id}`;
      await as.get(path).expect(404);
      await as.get(`${path}/lines`).expect(404);
      await as.post(`${path}/apply`).send({}).expect(404);
      await as.delete(path).expect(404);
    }
    await as.patch(`/provider-lists/${id}`).send({ pull: true }).expect(404);
    await as.post(`/provider-lists/${id}/test`).expect(404);
    await as.post(`/provider-lists/${id}/plans`).expect(404);
    await as.delete(`/provider-lists/${id}`).expect(404);
    expect((await as.get('/provider-lists').expect(200)).body.data).toHaveLength(1);
  });

  it('needs the scope provider-lists:read to read, and provider-lists:write to change', async () => {
    const id = await createSesList(world, world.alice);
    const reader = await createKey(world, ['provider-lists:read'], world.acme.name);
    await world.as(reader).get(`/provider-lists/${id}`).expect(200);
    await world.as(reader).post(`/provider-lists/${id}/plans`).expect(401);
    await world.as(reader).patch(`/provider-lists/${id}`).send({}).expect(401);
    await world.as(reader).delete(`/provider-lists/${id}`).expect(401);
    await world.as(world.bob).get('/provider-lists').expect(401);
    const writer = await createKey(world, ['provider-lists:write'], world.acme.name);
    await world.as(writer).get('/provider-lists').expect(200);
    await world.as(writer).delete(`/provider-lists/${id}`).expect(200);
  });

  it('says what the credentials can do, and why not', async () => {
    const id = await createSesList(world, world.alice);
    const test = async () =>
      (await world.as(world.alice).post(`/provider-lists/${id}/test`).expect(200)).body;
    const read = 'ses:ListSuppressedDestinations';
    const find = 'ses:GetSuppressedDestination';
    const unknown = { allowed: null, reason: expect.stringContaining('Only a change would show it') };
    const others = [
      { name: find, allowed: true, reason: null },
      { name: 'ses:GetAccount', allowed: true, reason: null },
      { name: 'ses:PutSuppressedDestination', ...unknown },
      { name: 'ses:DeleteSuppressedDestination', ...unknown },
    ];
    expect(await test()).toEqual({
      object: 'provider_list_test',
      ok: true,
      permissions: [{ name: read, allowed: true, reason: null }, ...others],
      reason: null,
    });
    const failing =
      (part: string, status: number): Fault =>
      (response, request) =>
        request.url!.includes(part) && failOnce(status)(response, request);
    const lacks = (name: string) => `The credentials lack the permission ${name} (403).`;
    ses.faults.push(failing('PageSize', 403));
    expect(await test()).toMatchObject({
      ok: false,
      permissions: [{ name: read, allowed: false, reason: lacks(read) }, ...others],
      reason: lacks(read),
    });
    ses.faults.push(failing('PageSize', 500));
    expect(await test()).toMatchObject({
      ok: false,
      permissions: [{ name: read, allowed: null }, ...others],
    });
    ses.faults.push((response, request) => {
      const isRead = request.url!.includes('PageSize');
      return isRead && Boolean(response.writeHead(200).end('<html>Proxy login</html>'));
    });
    expect(await test()).toMatchObject({
      ok: false,
      permissions: [{ name: read, allowed: null }, ...others],
      reason: expect.stringContaining('not JSON'),
    });
    ses.faults.push(failing('%40', 403));
    expect(await test()).toMatchObject({
      ok: true,
      permissions: expect.arrayContaining([{ name: find, allowed: false, reason: lacks(find) }]),
    });
    await world.as(world.alice).patch(`/provider-lists/${id}`).send({ push_removals: true }).expect(200);
    ses.faults.push(failing('%40', 403));
    expect(await test()).toMatchObject({ ok: false, reason: lacks(find) });
    expect(ses.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('says what to do instead of changing the provider or the scope', async () => {
    const id = await createSesList(world, world.alice);
    const change = { provider: 'sendgrid', scope: { region: 'eu-west-2' } };
    const { body } = await world.as(world.alice).patch(`/provider-lists/${id}`).send(change).expect(400);
    const message = 'cannot be changed: create another provider list, and delete this one';
    expect(body.errors).toEqual([
      { path: 'provider', message },
      { path: 'scope', message },
    ]);
  });

  it('has one plan in progress at a time', async () => {
    const id = await createSesList(world, world.alice);
    let release!: () => void;
    ses.faults.push((response) => {
      release = () => response.writeHead(200).end('{"SuppressedDestinationSummaries":[]}');
      return true;
    });
    const { body } = await world.as(world.alice).post(`/provider-lists/${id}/plans`).expect(202);
    const { body: refused } = await world.as(world.alice).post(`/provider-lists/${id}/plans`).expect(409);
    expect(refused.code).toBe('provider_list_plan_in_progress');
    await world.as(world.alice).delete(`/provider-lists/${id}/plans/${body.id}`).expect(200);
    release?.();
    expect(await compare(world, world.alice, id)).toMatchObject({ status: 'ready', entries: 0 });
  });

  it('belongs to a source of the same account and provider, or to none', async () => {
    const account = world.acme.name;
    const options = { topicArns: ['arn:aws:sns:eu-west-1:123456789012:ses'] };
    const source = await createSource(world, 'ses', { account, options });
    const others = [
      await createSource(world, 'sparkpost', { account }),
      await createSource(world, 'ses', { account: world.globex.name, options }),
    ];
    const id = await createSesList(world, world.alice, { source: source.id });
    const list = () => world.as(world.alice).get(`/provider-lists/${id}`).expect(200);
    const change = (body: object) => world.as(world.alice).patch(`/provider-lists/${id}`).send(body);
    expect((await list()).body.source).toBe(source.id);
    for (const other of [...others.map((one) => one.id), 'none']) {
      const { body } = await change({ source: other }).expect(400);
      expect(body.errors).toMatchObject([{ path: 'source' }]);
    }
    await change({ name: 'Other' }).expect(200);
    expect((await list()).body.source).toBe(source.id);
    await change({ source: null }).expect(200);
    expect((await list()).body.source).toBeNull();
  });

  it('keeps its credentials and its scope when SECRETS_KEY changes', async () => {
    const id = await createSesList(world, world.alice);
    const rotated = await startTestApp(world.database.url, {
      ...LOOPBACK,
      PROVIDER_API_URL_SES: ses.url,
      SECRETS_KEY: 'b6'.repeat(32),
      SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY,
    });
    try {
      const [before] = await world.database.query('SELECT * FROM provider_lists WHERE id = $1', [id]);
      expect(await rotated.app.get(ListCredentials).reencrypt()).toBeGreaterThan(0);
      const [after] = await world.database.query('SELECT * FROM provider_lists WHERE id = $1', [id]);
      expect(after!.credentials).not.toEqual(before!.credentials);
      expect(after!.scope_key).not.toBe(before!.scope_key);
      const credentials = rotated.app.get(ListCredentials).decrypt(after as unknown as ProviderList);
      expect(credentials).toMatchObject({ secret_access_key: SECRET });
    } finally {
      await rotated.close();
    }
  });

  it('cannot be compared without SECRETS_KEY, and says so', async () => {
    const id = await createSesList(world, world.alice);
    const keyless = await startTestApp(world.database.url, { ...LOOPBACK, SECRETS_KEY: '' });
    try {
      const job = { accountId: world.acme.id, id: randomUUID() };
      await world.database.query(
        `INSERT INTO provider_list_plans (account_id, id, job_id, provider_list_id, is_scheduled) VALUES ($1, $2, $2, $3, false)`,
        [job.accountId, job.id, id],
      );
      const { signal: stopping } = new AbortController();
      const running = { ...job, checkpoint: {}, attempts: 1, stopping, advance: () => Promise.reject() };
      await expect(keyless.app.get(CompareJob).run(running)).rejects.toMatchObject({
        error: {
          code: 'credentials_unreadable',
          message: expect.stringContaining('restore the SECRETS_KEY'),
        },
      });
    } finally {
      await keyless.close();
    }
  });
});

describe('a plan whose provider does not answer as usual', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let list: string;
  beforeAll(async () => {
    ses = await startFakeSes();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SES: ses.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
    ses.faults.length = 0;
    ses.list('ada@example.com');
    list = await createSesList(world, world.alice);
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
  });

  const planned = () => compare(world, world.alice, list);
  const shown = async () => (await world.as(world.alice).get(`/provider-lists/${list}`).expect(200)).body;
  const always = (fault: (typeof ses.faults)[number]) => ses.faults.push(...Array(20).fill(fault));

  it('waits as long as a 429 asks, or a moment, and goes on', async () => {
    ses.faults.push(failOnce(429, { 'retry-after': '1' }), failOnce(429), failOnce(503));
    expect(await planned()).toMatchObject({ status: 'ready', entries: 1 });
    expect(ses.faults).toEqual([]);
  });

  it('leaves its place to other jobs while it waits for longer, and goes on', async () => {
    ses.faults.push(failOnce(429, { 'retry-after': '3' }));
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const released = 'id = $1 AND lease_id IS NULL AND leased_until > now() AND attempts = 1';
    await until(async () => {
      const rows = await world.database.query(`SELECT id FROM jobs WHERE ${released}`, [body.id]);
      return rows.length > 0;
    });
    expect(await settled(world, world.alice, list, body.id)).toMatchObject({ status: 'ready', entries: 1 });
  });

  it('sends no more requests after its list was deleted', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    const sent = ses.requests.length;
    await world.as(world.alice).delete(`/provider-lists/${list}`).expect(200);
    release(200, '{"SuppressedDestinationSummaries":[],"NextToken":"2"}');
    await until(async () => {
      const rows = await world.database.query(`SELECT FROM jobs WHERE id = $1 AND status = 'cancelled'`, [
        body.id,
      ]);
      return rows.length > 0;
    });
    expect(ses.requests).toHaveLength(sent);
  });

  it('fails after ten attempts that a 429 ended', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    await world.database.query(
      'UPDATE jobs SET attempts = 9, lease_id = NULL, leased_until = NULL WHERE id = $1',
      [body.id],
    );
    ses.faults.push(failOnce(429, { 'retry-after': '60' }));
    expect(await settled(world, world.alice, list, body.id)).toMatchObject({ status: 'failed' });
    release(200, '{}');
  });

  it('fails when a 429 asks for more than a minute, and is not scheduled before', async () => {
    ses.faults.push(failOnce(429, { 'retry-after': '7200' }));
    expect(await planned()).toMatchObject({
      status: 'failed',
      reason: 'The provider received too many requests (429).',
    });
    expect(Date.parse((await shown()).next_plan_at)).toBeGreaterThan(Date.now() + 7_000_000);
  });

  it('is scheduled when a 429 said, or Brevo or Mailgun says, that it may be sent again', async () => {
    for (const [header, value] of [
      ['retry-after', '600'],
      ['x-sib-ratelimit-reset', '600'],
      ['x-ratelimit-reset', String(Date.now() + 600_000)],
    ] as const) {
      ses.faults.push(failOnce(429, { [header]: value }));
      expect(await planned()).toMatchObject({ status: 'failed' });
      const waitMs = Date.parse((await shown()).next_plan_at) - Date.now();
      expect(waitMs).toBeGreaterThan(540_000);
      expect(waitMs).toBeLessThan(601_000);
    }
  });

  it('is scheduled in an hour when a 503 asks for less', async () => {
    always(failOnce(503, { 'retry-after': '61' }));
    expect(await planned()).toMatchObject({ status: 'failed' });
    const waitMs = Date.parse((await shown()).next_plan_at) - Date.now();
    expect(waitMs).toBeGreaterThan(3_540_000);
    expect(waitMs).toBeLessThan(3_601_000);
  });

  it('stops the list when the credentials are refused, until they are replaced', async () => {
    for (const status of [401, 403]) {
      ses.faults.push(failOnce(status));
      expect(await planned()).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining(`(${status})`),
      });
      expect(await shown()).toMatchObject({
        status: 'stopped',
        last_error: expect.stringContaining(`(${status})`),
        next_plan_at: null,
      });
      const credentials = { access_key_id: `AKIDEXAMPLE${status}`, secret_access_key: 'another' };
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
      const { next_plan_at: nextPlanAt, ...others } = await shown();
      expect(others).toMatchObject({ status: 'active', last_error: null });
      expect(Date.parse(nextPlanAt)).toBeLessThanOrEqual(Date.now());
    }
  });

  it.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ])(
    'succeeds although the clock of the instance is an hour %s, so that the provider refuses its signature',
    async (_how, aheadMs) => {
      const theirs = Date.now.bind(Date);
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => theirs() + aheadMs);
      const differenceOf = (time: unknown) => {
        const iso = String(time).replace(/^(....)(..)(..)T(..)(..)/, '$1-$2-$3T$4:$5:');
        return Math.abs(Date.parse(iso) - theirs());
      };
      ses.faults.push((response, request) => {
        const isRefused = differenceOf(request.headers['x-amz-date']) > 300_000;
        if (isRefused) {
          response
            .writeHead(403, { date: new Date(theirs()).toUTCString() })
            .end('{"message":"Signature expired"}');
        }
        return isRefused;
      });
      try {
        expect(await planned()).toMatchObject({ status: 'ready', entries: 1 });
        expect(ses.faults).toEqual([]);
      } finally {
        clock.mockRestore();
      }
    },
  );

  it('does not stop the list when credentials are refused that were replaced meanwhile', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    const credentials = { access_key_id: 'AKIDEXAMPLENEW', secret_access_key: 'another' };
    await world.as(world.alice).patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
    release(401, '{}');
    expect(await settled(world, world.alice, list, body.id)).toMatchObject({ status: 'failed' });
    const { status, next_plan_at: nextPlanAt } = await shown();
    expect(status).toBe('active');
    expect(Date.parse(nextPlanAt)).toBeLessThanOrEqual(Date.now());
  });

  it('can stop pulling when its credentials cannot be read', async () => {
    await world.database.query(
      `UPDATE provider_lists SET credentials = '{"access_key_id": "?"}' WHERE id = $1`,
      [list],
    );
    await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: false }).expect(200);
    await world.as(world.alice).patch(`/provider-lists/${list}`).send({ shared: true }).expect(503);
  });

  it('fails when its job has ended without it, so that the next one can begin', async () => {
    const held = holdNext(ses);
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    const release = await held;
    await world.database.query(`UPDATE jobs SET status = 'failed', lease_id = NULL WHERE id = $1`, [body.id]);
    expect(await planned()).toMatchObject({ status: 'ready' });
    release(200, '{}');
    const { body: first } = await world.as(world.alice).get(`/provider-lists/${list}/plans/${body.id}`);
    expect(first).toMatchObject({ status: 'failed', reason: expect.stringContaining('ended too early') });
  });

  it('fails when the provider sends the same page again and again', async () => {
    always((response) => {
      const body = { SuppressedDestinationSummaries: [...ses.entries.values()], NextToken: 'again' };
      return Boolean(response.writeHead(200).end(JSON.stringify(body)));
    });
    expect(await planned()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the same page twice'),
    });
  });

  it('fails when an entry has no address, since the format may have changed', async () => {
    const held = holdNext(ses);
    const plan = planned();
    const summaries = [{ EmailAddress: 'ada@example.com', Reason: 'BOUNCE' }, { Reason: 'BOUNCE' }];
    (await held)(200, JSON.stringify({ SuppressedDestinationSummaries: summaries }));
    expect(await plan).toMatchObject({
      status: 'failed',
      reason: 'The provider sent a body in a form that it does not document.',
    });
  });

  it('closes the connection of a failed request instead of reading its body', async () => {
    let isClosed = false;
    ses.faults.push((response) => {
      response.on('close', () => (isClosed = true));
      return response.writeHead(503).write('{');
    });
    expect(await planned()).toMatchObject({ status: 'ready' });
    expect(isClosed).toBe(true);
  });

  it.each<[string, (typeof ses.faults)[number]]>([
    ['is cut off', cutOff],
    ['is not JSON', (response) => Boolean(response.writeHead(200).end('<html>'))],
  ])('compares nothing when a body %s', async (_what, fault) => {
    ses.pageSize = 1;
    ses.list('bob@example.com');
    always((response, request) => request.url!.includes('NextToken') && fault(response, request));
    const plan = await planned();
    expect(plan).toMatchObject({ status: 'failed', counts: { pull: 0 } });
    expect(await linesOf(world, world.alice, list, plan.id)).toEqual([]);
    expect(await shown()).toMatchObject({ status: 'active', last_error: plan.reason, counts: null });
    const path = `/provider-lists/${list}/plans/${plan.id}/apply`;
    await world.as(world.alice).post(path).send({}).expect(409);
    ses.pageSize = 1_000;
  });

  it.each([
    ['a body without the documented list', 200, '{}', 'does not document'],
    ['a redirect, which it does not follow', 302, '', 'responded 302'],
    ['404', 404, '{}', 'Check the scope'],
  ])('fails after %s', async (_what, status, body, reason) => {
    ses.faults.push((response) => Boolean(response.writeHead(status, { location: '/' }).end(body)));
    expect(await planned()).toMatchObject({ status: 'failed', reason: expect.stringContaining(reason) });
    expect((await shown()).status).toBe('active');
  });

  it('ends its comparison when it is discarded while the provider is slow', async () => {
    always(() => true);
    ses.requests.length = 0;
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    await until(() => ses.requests.length > 0);
    await world.as(world.alice).delete(`/provider-lists/${list}/plans/${body.id}`).expect(200);
    const [job] = await world.database.query('SELECT status FROM jobs WHERE id = $1', [body.id]);
    expect(job).toEqual({ status: 'cancelled' });
  });

  it('fails without a connection to a private address that the operator has not allowed', async () => {
    const forbidden = await startFakeSes();
    const strict = await createWorld({ PROVIDER_API_URL_SES: forbidden.url });
    try {
      const id = await createSesList(strict, strict.alice);
      const { body } = await strict.as(strict.alice).post(`/provider-lists/${id}/plans`).expect(202);
      const plan = await settled(strict, strict.alice, id, body.id);
      expect(plan).toMatchObject({ status: 'failed', reason: expect.stringContaining('not public') });
      expect(forbidden.requests).toEqual([]);
    } finally {
      await strict.close();
      await forbidden.close();
    }
  });
});

const HOUR_MS = 60 * 60 * 1_000;

const DOMAIN = 'mg.example.com';

const ADDRESSES = ['ada@example.com', 'grace@example.com', 'eve@example.com'];

describe('a provider that allows a request an hour', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let mailgun: FakeMailgun;
  beforeAll(async () => {
    [ses, mailgun] = await Promise.all([startFakeSes(), startFakeMailgun(DOMAIN)]);
    const urls = { PROVIDER_API_URL_SES: ses.url, PROVIDER_API_URL_MAILGUN: mailgun.url };
    service = await createWorld({ ...LOOPBACK, ...urls });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    setPace(0);
    ses.entries.clear();
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([ses.close(), mailgun.close()]);
  });

  /** Closing the fake restores the pace. */
  const setPace = (ms: number) => {
    const { pace, add } = listProviderOf('ses');
    pace.ms = ms;
    add!.pace.ms = ms;
  };
  const compareMailgun = () =>
    createComparedList(world, world.charlie, {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: DOMAIN },
      credentials: { api_key: 'key-1' },
      push_additions: true,
    });
  const reportBounces = async (key: string) => {
    for (const email of ADDRESSES) {
      await world.as(key).post('/events').send({ type: 'bounce', email }).expect(200);
    }
  };
  const sent = (method: string) => ses.requests.filter((request) => request.method === method).length;

  it('gets one page of its list, while another provider gets all requests of a plan', async () => {
    ses.pageSize = 1;
    ADDRESSES.forEach((address) => ses.list(address));
    const list = await createSesList(world, world.alice);
    setPace(HOUR_MS);
    ses.requests.length = 0;
    await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    await until(() => sent('GET') > 0);
    const other = await compareMailgun();
    expect(sent('GET')).toBe(1);
    await world.as(world.charlie).delete(`/provider-lists/${other}`).expect(200);
  });

  it('gets one change, while another provider gets several', async () => {
    ses.pageSize = 1_000;
    await createComparedSesList(world, world.alice, { push_additions: true });
    await compareMailgun();
    setPace(HOUR_MS);
    await reportBounces(world.alice);
    void world.app.get(PushWorker).run();
    await until(() => sent('PUT') > 0);
    await reportBounces(world.charlie);
    await until(() => mailgun.lists.bounces!.length === ADDRESSES.length);
    expect(sent('PUT')).toBe(1);
  });
});

const ADA = 'ada@example.com';

const GRACE = 'grace@example.com';

const CREATED = Date.parse('2026-01-10T08:00:00Z') / 1_000;

describe('lines and pushes of one address', () => {
  let service: World;
  let world: World;
  let sendgrid: FakeSendGrid;
  let list: string;
  beforeAll(async () => {
    sendgrid = await startFakeSendGrid();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SENDGRID: sendgrid.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    sendgrid.clear();
    list = await createSendGridList(world, world.alice);
    await world.database.query(`UPDATE provider_lists SET push_paused_until = '2100-01-01' WHERE id = $1`, [
      list,
    ]);
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const lines = (plan: string, query: Record<string, string>) =>
    linesOf(world, world.alice, list, plan, query);
  const insert = (email: string, name: string, status: string) =>
    world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, status, cause, since
      )
      SELECT account_id, id, $2, $3, $2, 'remove', $4, 'bounce', now() FROM provider_lists WHERE id = $1`,
      [list, email, name, status],
    );
  const pushes = async (query: Record<string, string>) => {
    const { body } = await as().get(`/provider-lists/${list}/pushes`).query(query).expect(200);
    return body.data.map((push: { list: string; status: string }) => `${push.status} ${push.list}`);
  };

  it('are those of its normal form, in all spellings and of all kinds, page by page', async () => {
    await suppress(world, world.alice, [GRACE, 'other@example.com']);
    sendgrid.lists.bounces = ['Ada@example.com', 'ada@example.com', 'adam@example.com'].map((email) => ({
      email,
      created: CREATED,
    }));
    sendgrid.lists.spam_reports = [{ email: 'ADA@example.com', created: CREATED }];
    const { id } = await compare(world, world.alice, list);
    const found = await lines(id, { email: 'ADA@Example.com' });
    expect(found.map(({ email, list: name }) => `${name} ${email}`)).toEqual([
      'bounces Ada@example.com',
      'bounces ada@example.com',
      'spam_reports ADA@example.com',
    ]);
    expect(await lines(id, { email: ADA, kind: 'push' })).toEqual([]);
    expect(await lines(id, { email: GRACE, kind: 'push' })).toMatchObject([{ email: GRACE, kind: 'push' }]);
    expect(await lines(id, { email: 'new@example.com' })).toEqual([]);
  });

  it('has no pushes that are done, and those of one status only if they are asked for', async () => {
    await insert(ADA, 'bounces', 'pending');
    await insert(ADA, 'invalid_emails', 'failed');
    await insert(ADA, 'spam_reports', 'done');
    await insert(GRACE, 'bounces', 'failed');
    expect(await pushes({ email: 'Ada@Example.com' })).toEqual(['failed invalid_emails', 'pending bounces']);
    expect(await pushes({ email: ADA, status: 'pending' })).toEqual(['pending bounces']);
    const { body } = await as().get(`/provider-lists/${list}/pushes`).query({ email: ADA, limit: 1 });
    expect(body).toMatchObject({ has_more: true, data: [{ status: 'failed' }] });
    expect(await pushes({ email: ADA, limit: '1', after: body.cursor })).toEqual(['pending bounces']);
  });

  it.each([
    ['pending', 'failed'],
    ['failed', 'pending'],
  ])('that are %s are not continued at the cursor of those that are %s', async (status, other) => {
    await insert(ADA, status, status);
    await insert(GRACE, status, status);
    await insert(ADA, other, other);
    await insert(GRACE, other, other);
    const cursorOf = async (query: Record<string, string>) =>
      (
        await as()
          .get(`/provider-lists/${list}/pushes`)
          .query({ ...query, limit: 1 })
      ).body.cursor;
    expect(await pushes({ status, after: await cursorOf({ status }) })).toEqual([`${status} ${status}`]);
    const { body } = await as()
      .get(`/provider-lists/${list}/pushes`)
      .query({ status, after: await cursorOf({ status: other }) })
      .expect(400);
    expect(body.errors).toEqual([{ path: 'after', message: 'must be the cursor of the previous page' }]);
  });

  it('are found by an address that was erased, whose block is kept', async () => {
    await suppress(world, world.alice, [ADA]);
    const erased = { keep_block: true, reference: 'Case 4711' };
    await untilErased(world, async () => as().post(`/contacts/${ADA}/erase`).send(erased));
    sendgrid.lists.bounces = [{ email: ADA, created: CREATED }];
    const { id } = await compare(world, world.alice, list);
    const [line, ...others] = await lines(id, { email: ADA });
    expect(line!.email).toMatch(/^erased-.*@erased\.invalid$/);
    expect(others).toEqual([]);
    await insert(line!.email, 'bounces', 'failed');
    expect(await pushes({ email: ADA })).toEqual(['failed bounces']);
  });

  it.each(['pushes', 'plans/00000000-0000-7000-8000-000000000001/lines'])(
    'need an address (%s)',
    async (path) => {
      const { body } = await as().get(`/provider-lists/${list}/${path}`).query({ email: 'ada' }).expect(400);
      expect(body).toMatchObject({ name: 'validation_error', message: expect.stringContaining('email') });
    },
  );
});
