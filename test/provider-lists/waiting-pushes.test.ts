import { Metrics } from '../../src/metrics/metrics.js';
import { ScheduledPlans } from '../../src/provider-lists/plans/scheduled-plans.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { failOnce, onChange } from '../support/fake-providers/fake-provider.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { startFakeSes, type FakeSes } from '../support/fake-providers/ses.js';
import { signIn } from '../support/console.js';
import { apply, compare, createList, createSendGridList, createSesList } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const BEFORE = Date.parse('2026-01-10T08:00:00Z') / 1_000;
const CONSENT = { kind: 'recipient_request', reference: 'Mail of <ada@example.com>' };
const PUSH = { push_additions: true, push_removals: true };

describe('what waits to be pushed', () => {
  let service: World;
  let world: World;
  let sendgrid: FakeSendGrid;
  let ses: FakeSes;
  beforeAll(async () => {
    sendgrid = await startFakeSendGrid();
    ses = await startFakeSes();
    const urls = { PROVIDER_API_URL_SENDGRID: sendgrid.url, PROVIDER_API_URL_SES: ses.url };
    service = await createWorld({ ...LOOPBACK, ...urls });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    sendgrid.clear();
    sendgrid.requests.length = 0;
    sendgrid.faults.length = 0;
    ses.entries.clear();
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
    await ses.close();
  });

  const as = (key = world.alice) => world.as(key);
  const suppress = (emails: string[], key = world.alice) =>
    as(key).post('/suppressions/batch/add').send({ emails }).expect(201);
  const show = async (list: string, key = world.alice) =>
    (await as(key).get(`/provider-lists/${list}`).expect(200)).body;
  const changes = () => sendgrid.requests.filter(({ method }) => method !== 'GET');
  const work = () => world.app.get(PushWorker).run();
  const pause = (list: string, pausedUntil: string | null) =>
    world.database.query('UPDATE provider_lists SET push_paused_until = $2 WHERE id = $1', [
      list,
      pausedUntil,
    ]);
  const confirm = (list: string, emails: string[]) =>
    as().post(`/provider-lists/${list}/removals`).send({ emails, consent: CONSENT }).expect(202);

  it('has the changes that a paused list has not examined yet, in the API, the metrics, and the console', async () => {
    const list = await createSendGridList(world, world.alice);
    await until(async () => {
      await work();
      return (await show(list)).pushes.unexamined === 0;
    });
    await pause(list, '2100-01-01');
    const before = new Date().toISOString();
    await suppress([ADA, 'grace@example.com']);
    await work();
    const { pushes } = await show(list);
    expect(pushes).toEqual({ pending: 0, failed: 0, unexamined: 2, oldest_at: expect.any(String) });
    expect(pushes.oldest_at >= before).toBe(true);
    const metrics = await world.app.get(Metrics).registry.metrics();
    const labels = `provider_list="${list}",provider="sendgrid"`;
    expect(metrics).toContain(`suppression_list_provider_pushes{${labels},status="unexamined"} 2`);
    expect(metrics).toContain(
      `oldest_push_timestamp_seconds{${labels}} ${Date.parse(pushes.oldest_at) / 1_000}`,
    );
    const viewer = await signIn(world, 'viewer');
    expect((await viewer.get(`/console/provider-lists/${list}`)).text).toContain(
      '2 not examined yet; the oldest is from',
    );
    await pause(list, null);
    await until(async () => {
      await work();
      return changes().length > 0 && (await show(list)).pushes.pending === 0;
    });
    expect((await show(list)).pushes).toEqual({ pending: 0, failed: 0, unexamined: 0, oldest_at: null });
  });

  it('is sent in this order: what a person confirmed, other removals, additions', async () => {
    const list = await createSendGridList(world, world.alice);
    sendgrid.lists.bounces = [{ email: 'lifted@example.com', created: BEFORE }];
    sendgrid.lists.spam_reports = [{ email: ADA, created: BEFORE }];
    const { id } = await compare(world, world.alice, list);
    await as().post(`/provider-lists/${list}/plans/${id}/apply`).send({}).expect(202);
    await until(async () => (await show(list)).last_error === null && (await suppressed()) === 2);
    await pause(list, 'infinity');
    await suppress(Array.from({ length: 20 }, (_, index) => `a${index}@example.com`));
    await as().delete('/suppressions/lifted@example.com').expect(200);
    await as().delete(`/suppressions/${ADA}`).expect(200);
    await confirm(list, [ADA]);
    const queued = `SELECT count(*)::integer AS number FROM provider_list_pushes WHERE provider_list_id = $1`;
    await world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, cause, since, next_attempt_at
      )
      SELECT account_id, id, 'a' || n || '@example.com', 'unsubscribes', 'a' || n || '@example.com', 'add', 'manual',
        now(), now() - interval '2 days'
      FROM provider_lists, generate_series(0, 19) AS n WHERE id = $1`,
      [list],
    );
    await world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, cause, since, next_attempt_at
      )
      SELECT account_id, id, 'lifted@example.com', 'bounces', 'lifted@example.com', 'remove', 'bounce', now(),
        now() - interval '1 day'
      FROM provider_lists WHERE id = $1`,
      [list],
    );
    expect((await world.database.query<{ number: number }>(queued, [list]))[0]!.number).toBeGreaterThan(21);
    await pause(list, null);
    await until(async () => {
      await work();
      return changes().length >= 22;
    });
    const sent = changes().map(({ method, url }) => `${method} ${decodeURIComponent(url.pathname)}`);
    expect(sent.slice(0, 2)).toEqual([
      `DELETE /v3/suppression/spam_reports/${ADA}`,
      'DELETE /v3/suppression/bounces/lifted@example.com',
    ]);
    expect(sent.slice(2)).toEqual(Array(20).fill('POST /v3/asm/suppressions/global'));
  });
  const suppressed = async () => (await as().get('/suppressions/count').expect(200)).body.total;

  it('waits for the first comparison, which one of two accounts that claim a list wins', async () => {
    const made = {
      provider: 'sendgrid',
      name: 'SendGrid',
      scope: { subuser: 'claimed' },
      credentials: { api_key: 'SG.key' },
      ...PUSH,
    };
    const first = await createList(world, world.alice, made);
    const second = await createList(world, world.charlie, made);
    await suppress([ADA]);
    await suppress(['charlie@example.com'], world.charlie);
    await work();
    expect(changes()).toEqual([]);
    await confirm(first, ['eve@example.com']).expect(({ body }) =>
      expect(body.data).toMatchObject([{ status: 'compare_first', lists: [] }]),
    );
    await compare(world, world.alice, first);
    const lost = await compare(world, world.charlie, second);
    expect(lost).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('Another provider list'),
    });
    expect(await show(second, world.charlie)).toMatchObject({
      last_success_at: null,
      last_error: lost.reason,
    });
    await until(async () => {
      await work();
      return changes().length > 0;
    });
    await work();
    expect(sendgrid.lists.unsubscribes).toMatchObject([{ email: ADA }]);
  });

  it('waits for a comparison after credentials were replaced that alone identify the list', async () => {
    const list = await createSesList(world, world.alice, PUSH);
    await compare(world, world.alice, list);
    const credentials = { access_key_id: `AKIDEXAMPLE${Date.now()}`, secret_access_key: 'another' };
    await as().patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
    expect(await show(list)).toMatchObject({ status: 'active', last_success_at: null });
    await suppress([ADA]);
    await work();
    expect(ses.entries.size).toBe(0);
    await compare(world, world.alice, list);
    await until(async () => {
      await work();
      return ses.entries.has(ADA);
    });
  });

  it('waits for a person if the list that other credentials read has few of the entries of the last plan', async () => {
    ses.list('ada@example.com');
    ses.list('eve@example.com');
    const list = await createSesList(world, world.alice, { ...PUSH, pull: true });
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    ses.entries.clear();
    ['one', 'two', 'three'].forEach((name) => ses.list(`${name}@example.com`));
    const credentials = { access_key_id: `AKIDEXAMPLE${Date.now()}`, secret_access_key: 'another' };
    await as().patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
    await world.app.get(ScheduledPlans).run();
    const plans = () => as().get(`/provider-lists/${list}/plans`).expect(200);
    await until(async () => (await plans()).body.data[0].status === 'stopped');
    const [plan] = (await plans()).body.data;
    expect(plan).toMatchObject({
      entries: 3,
      reason:
        'The credentials were replaced. The service looked for 2 entries of the last applied plan, and found 0.',
    });
    await as().get('/suppressions/one@example.com').expect(404);
    expect(await show(list)).toMatchObject({ last_success_at: null, last_error: plan.reason });
    const accept = { accept_stop: true };
    await as().post(`/provider-lists/${list}/plans/${plan.id}/apply`).send(accept).expect(202);
    await until(async () => (await show(list)).last_success_at !== null);
    await as().get('/suppressions/one@example.com').expect(200);
  });

  it.each([
    [1, '1 entry'],
    [1_100, '1,000 entries'],
  ])('looks for up to 1,000 of %i entries after credentials were replaced', async (count, looked) => {
    const fill = (name: string, length: number) =>
      Array.from({ length }, (_, index) => ses.list(`${name}${index}@example.com`));
    fill('user', count);
    const list = await createSesList(world, world.alice);
    await apply(world, world.alice, list, (await compare(world, world.alice, list)).id);
    ses.entries.clear();
    fill('other', 200);
    const credentials = { access_key_id: `AKIDEXAMPLE${Date.now()}`, secret_access_key: 'another' };
    await as().patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
    const reason = `The service looked for ${looked} of the last applied plan, and found 0.`;
    expect(await compare(world, world.alice, list)).toMatchObject({
      status: 'stopped',
      reason: expect.stringContaining(reason),
    });
  });

  it('goes on after credentials were replaced that alone identify the list, while a plan was applied', async () => {
    await suppress([ADA]);
    const list = await createSesList(world, world.alice, PUSH);
    const { id } = await compare(world, world.alice, list);
    await pause(list, '2100-01-01');
    await as().post(`/provider-lists/${list}/plans/${id}/apply`).send({}).expect(202);
    await until(async () => (await show(list)).pushes.pending === 1);
    const credentials = { access_key_id: `AKIDEXAMPLE${Date.now()}`, secret_access_key: 'another' };
    await as().patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
    const { body } = await as().get(`/provider-lists/${list}/plans/${id}`).expect(200);
    expect(body).toMatchObject({
      status: 'expired',
      reason: expect.stringContaining('credentials were replaced'),
    });
    await world.app.get(ScheduledPlans).run();
    await until(async () => {
      await work();
      return ses.entries.has(ADA);
    });
    expect(await show(list)).toMatchObject({ status: 'active', pushes: { pending: 0 } });
  });

  it('fails a comparison whose list was replaced by other credentials meanwhile', async () => {
    const list = await createSesList(world, world.alice);
    const credentials = { access_key_id: `AKIDEXAMPLE${Date.now()}`, secret_access_key: 'another' };
    ses.faults.push((response) => {
      void as()
        .patch(`/provider-lists/${list}`)
        .send({ credentials })
        .then(() => response.writeHead(200).end('{"SuppressedDestinationSummaries":[]}'));
      return true;
    });
    expect(await compare(world, world.alice, list)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('credentials were replaced'),
    });
  });

  it('asks for a comparison before SES, which knows only its own spelling, removes an address', async () => {
    const list = await createSesList(world, world.alice, PUSH);
    await compare(world, world.alice, list);
    ses.list('Ada@Example.com', 'COMPLAINT');
    const { body } = await confirm(list, [ADA]);
    expect(body.data).toMatchObject([{ email: ADA, status: 'compare_first', lists: [] }]);
    const { id } = await compare(world, world.alice, list);
    await as().post(`/provider-lists/${list}/plans/${id}/apply`).send({}).expect(202);
    await until(async () => (await suppressed()) === 1);
    await as().delete(`/suppressions/${ADA}`).expect(200);
    expect((await confirm(list, [ADA])).body.data).toMatchObject([{ status: 'queued' }]);
    await until(async () => {
      await work();
      return ses.entries.size === 0;
    });
  });

  it('removes at SES, without another comparison, what this service put there, when a person confirms it', async () => {
    const list = await createSesList(world, world.alice, PUSH);
    await compare(world, world.alice, list);
    await suppress([ADA]);
    await until(async () => {
      await work();
      return ses.entries.has(ADA) && (await show(list)).pushes.pending === 0;
    });
    await as().patch(`/provider-lists/${list}`).send({ push_removals: false }).expect(200);
    await as().delete(`/suppressions/${ADA}`).expect(200);
    expect((await confirm(list, [ADA])).body.data).toMatchObject([{ status: 'queued' }]);
    await until(async () => {
      await work();
      return ses.entries.size === 0;
    });
  });

  it('has a line in the audit log for each address that a person confirmed, with its record and the kind of consent', async () => {
    const list = await createSendGridList(world, world.alice);
    await suppress([ADA]);
    await as().delete(`/suppressions/${ADA}`).expect(200);
    await confirm(list, [ADA, 'new@example.com']);
    const { body } = await as().get('/audit-log').expect(200);
    const confirmed = body.data.filter(({ action }: { action: string }) =>
      action.endsWith('removals_confirmed'),
    );
    const to = (value: unknown) => ({ from: null, to: value });
    const lists = to(['bounces', 'invalid_emails', 'spam_reports', 'unsubscribes']);
    expect(confirmed).toHaveLength(2);
    expect(confirmed.map(({ changes: { record } }: { changes: { record?: object } }) => record)).toEqual([
      undefined,
      to(expect.any(String)),
    ]);
    expect(confirmed[1].changes).toMatchObject({ lists, consent: to(CONSENT.kind) });
    expect(JSON.stringify(confirmed)).not.toContain('@');
  });

  it('shows that it pauses after a 429, for at most a day, and why', async () => {
    const list = await createSendGridList(world, world.alice);
    sendgrid.faults.push(onChange(failOnce(429, { 'retry-after': '99999999' })));
    await suppress([ADA]);
    await until(async () => {
      await work();
      return (await show(list)).status === 'paused';
    });
    expect((await show(list)).last_error).toBe('The provider received too many requests (429).');
    const [row] = await world.database.query<{ hours: number }>(
      'SELECT extract(epoch FROM push_paused_until - now())::float8 / 3600 AS hours FROM provider_lists WHERE id = $1',
      [list],
    );
    expect(Math.round(row!.hours)).toBe(24);
    await as().post(`/provider-lists/${list}/pushes/retry`).expect(200);
    await until(async () => {
      await work();
      return changes().length === 2;
    });
    await work();
    expect(await show(list)).toMatchObject({ status: 'active', last_error: null });
  });

  it('shows that its credentials cannot be read, and goes on when they are replaced', async () => {
    const list = await createSendGridList(world, world.alice);
    await world.database.query(`UPDATE provider_lists SET credentials = '{"api_key": "?"}' WHERE id = $1`, [
      list,
    ]);
    await suppress([ADA]);
    await until(async () => {
      await work();
      return (await show(list)).status === 'paused';
    });
    expect((await show(list)).last_error).toContain('SECRETS_KEY');
    await as()
      .patch(`/provider-lists/${list}`)
      .send({ credentials: { api_key: 'SG.key' } })
      .expect(200);
    await until(async () => {
      await work();
      return changes().length === 1;
    });
    await work();
    expect(await show(list)).toMatchObject({ status: 'active', last_error: null });
  });
});
