import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ChunkWriter } from '../../src/imports/chunk-writer.js';
import { PlanSweep } from '../../src/provider-lists/plans/plan-sweep.js';
import { PlansRepository } from '../../src/provider-lists/plans/plans.repository.js';
import { ScheduledPlans } from '../../src/provider-lists/plans/scheduled-plans.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { OutboxRepository } from '../../src/provider-lists/push/outbox.repository.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { holdNext } from '../support/fake-providers/fake-provider.js';
import { type FakeSendGrid, startFakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { type FakeSes, startFakeSes } from '../support/fake-providers/ses.js';
import { OPERATOR } from '../support/operator.js';
import {
  apply,
  compare,
  createSendGridList,
  createSesList,
  linesOf,
  settled,
  untilPushed,
} from '../support/provider-lists.js';
import { startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

describe('a plan of a provider list', () => {
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
    ses.pageSize = 1_000;
    list = await createSesList(world, world.alice);
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
  });

  const report = (event: object) => world.as(world.alice).post('/events').send(event).expect(200);
  const lift = (email: string) => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const plan = async () => {
    const made = await compare(world, world.alice, list);
    return { ...made, lines: await linesOf(world, world.alice, list, made.id) };
  };

  it('pulls what only the provider has, in all its pages, once for each spelling', async () => {
    ses.pageSize = 2;
    for (const name of ['ada', 'Bob', 'carol', 'dave', 'erin']) {
      ses.list(`${name}@example.com`, 'BOUNCE', '2026-01-10T08:00:00Z');
    }
    ses.list('bob@example.com', 'COMPLAINT');
    const made = await plan();
    expect(made).toMatchObject({ status: 'ready', entries: 6, counts: { pull: 6, push: 0, agreed: 0 } });
    expect(made.lines.map(({ email }) => email)).toEqual([
      'ada@example.com',
      'Bob@example.com',
      'bob@example.com',
      'carol@example.com',
      'dave@example.com',
      'erin@example.com',
    ]);
    expect(made.lines[0]).toEqual({
      email: 'ada@example.com',
      kind: 'pull',
      list: 'suppressions',
      cause: 'bounce',
      listed_at: '2026-01-10T08:00:00.250Z',
      reason: null,
    });
    expect((await world.as(world.alice).get('/suppressions').expect(200)).body.data).toEqual([]);
  });

  it('agrees about what both have, and says which cause it would add', async () => {
    await report({ type: 'bounce', email: 'same@example.com' });
    await suppress(world, world.alice, ['weaker@example.com']);
    ses.list('same@example.com');
    ses.list('weaker@example.com', 'COMPLAINT');
    const { counts, lines } = await plan();
    expect(counts).toMatchObject({ agreed: 2, pull: 0, push: 0 });
    expect(lines).toMatchObject([
      { email: 'same@example.com', kind: 'agreed', reason: null },
      { email: 'weaker@example.com', reason: 'Applying the plan adds this cause to the suppression.' },
    ]);
  });

  it('would push bounces, complaints, and manual entries, but neither unsubscribes nor what expires', async () => {
    await suppress(world, world.alice, ['manual@example.com']);
    await report({ type: 'bounce', email: 'bounce@example.com' });
    await report({ type: 'unsubscribe', email: 'unsubscribe@example.com' });
    await world
      .as(world.alice)
      .post('/suppressions')
      .send({ email: 'soon@example.com', expires_at: '2099-01-01T00:00:00Z' })
      .expect(201);
    const { lines } = await plan();
    expect(lines.toSorted((one, other) => (one.email < other.email ? -1 : 1))).toMatchObject([
      { email: 'bounce@example.com', kind: 'push', list: 'suppressions', cause: 'bounce' },
      { email: 'manual@example.com', kind: 'push', cause: 'manual' },
      { email: 'soon@example.com', kind: 'cannot', reason: expect.stringContaining('expires') },
      { email: 'unsubscribe@example.com', kind: 'cannot', reason: expect.stringContaining('transactional') },
    ]);
  });

  it('never pulls what was lifted here after the date of the provider', async () => {
    await report({ type: 'bounce', email: 'bounce@example.com' });
    await report({ type: 'complaint', email: 'complaint@example.com' });
    await lift('bounce@example.com');
    await lift('complaint@example.com');
    ses.list('bounce@example.com');
    ses.list('complaint@example.com', 'COMPLAINT');
    const made = await plan();
    expect(made.lines).toMatchObject([
      { email: 'complaint@example.com', kind: 'cannot', reason: expect.stringContaining('only a person') },
      { email: 'bounce@example.com', kind: 'remove' },
    ]);
    expect(await apply(world, world.alice, list, made.id)).toMatchObject({ status: 'applied', applied: 0 });
    await world.as(world.alice).get('/suppressions/bounce@example.com').expect(404);
    const tomorrow = new Date(Date.now() + 60_000).toISOString();
    ses.list('bounce@example.com', 'BOUNCE', tomorrow);
    expect((await plan()).counts).toMatchObject({ pull: 1, cannot: 1 });
  });

  it('calls an entry drift, plan after plan, when the provider no longer has it', async () => {
    ses.list('gone@example.com');
    for (let count = 0; count < 20; count++) {
      ses.list(`user${count}@example.com`);
    }
    await apply(world, world.alice, list, (await plan()).id);
    ses.entries.delete('gone@example.com');
    for (let round = 0; round < 2; round++) {
      const made = await plan();
      expect(made.counts).toMatchObject({ drift: 1, agreed: 20, push: 0 });
      expect(made.lines.find(({ kind }) => kind === 'drift')).toMatchObject({
        email: 'gone@example.com',
        reason: expect.stringContaining('does not have it now'),
      });
      await apply(world, world.alice, list, made.id);
      await world.as(world.alice).get('/suppressions/gone@example.com').expect(200);
    }
    await lift('gone@example.com');
    expect((await plan()).counts).toMatchObject({ drift: 0, agreed: 20, remove: 0 });
  });

  it('leaves it to a person when a suppression expired here that the provider still has', async () => {
    await report({ type: 'bounce', email: 'old@example.com' });
    ses.list('old@example.com');
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE account_id = $1`,
      [world.acme.id],
    );
    const isDrift = [{ kind: 'drift', reason: expect.stringContaining('expired here') }];
    expect((await plan()).lines).toMatchObject(isDrift);
    await world.app.get(ExpirySweep).run();
    expect((await plan()).lines).toMatchObject(isDrift);
  });

  it('is the same again if it is not applied, and takes the place of the one before it', async () => {
    ses.list('ada@example.com');
    const [first, second] = [await plan(), await plan()];
    expect(second.lines).toEqual(first.lines);
    const path = `/provider-lists/${list}/plans/${first.id}`;
    expect((await world.as(world.alice).get(path)).body.status).toBe('expired');
    const { body } = await world.as(world.alice).post(`${path}/apply`).send({}).expect(409);
    expect(body.code).toBe('provider_list_plan_status');
  });

  it('stores an entry once that two pages have, because another one was added between them', async () => {
    ses.pageSize = 2;
    ['a@example.com', 'b@example.com', 'c@example.com'].forEach((email) => ses.list(email));
    ses.faults.push((_response, request) => {
      if (request.url!.includes('NextToken')) {
        const old = [...ses.entries];
        ses.entries.clear();
        ses.list('new@example.com');
        old.forEach(([email, entry]) => ses.entries.set(email, entry));
        ses.faults.shift();
      }
      return false;
    });
    expect(await plan()).toMatchObject({ status: 'ready', entries: 3, counts: { pull: 3 } });
  });

  it('filters its lines by kind, and refuses an invalid cursor', async () => {
    await suppress(world, world.alice, ['here@example.com']);
    ses.list('there@example.com');
    const { id } = await compare(world, world.alice, list);
    const lines = await linesOf(world, world.alice, list, id, { kind: 'push' });
    expect(lines).toMatchObject([{ email: 'here@example.com' }]);
    const path = `/provider-lists/${list}/plans/${id}/lines`;
    await world.as(world.alice).get(path).query({ after: 'x' }).expect(400);
    await world.as(world.alice).get(path).query({ kind: 'other' }).expect(400);
  });

  it('sends nothing but GET, for the host of the region', async () => {
    ses.requests.length = 0;
    ses.list('ada@example.com');
    const { id } = await plan();
    await apply(world, world.alice, list, id);
    expect(ses.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(ses.requests[0]!.headers.host).toBe('email.eu-west-1.amazonaws.com');
  });
});

const ADA = 'ada@example.com';

describe('a plan of a provider list that somebody ends', () => {
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
    sendgrid.requests.length = 0;
    list = await createSendGridList(world, world.alice, { push_additions: false, push_removals: false });
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const path = () => `/provider-lists/${list}`;
  const show = async () => (await as().get(path()).expect(200)).body;
  const change = (settings: object) => as().patch(path()).send(settings).expect(200);
  const pause = (at: string | null) =>
    world.database.query('UPDATE provider_lists SET push_paused_until = $2 WHERE id = $1', [list, at]);
  const added = () => sendgrid.lists.unsubscribes!.map(({ email }) => email);
  const plansOf = async () => (await as().get(`${path()}/plans`).expect(200)).body.data;
  /** A plan whose additions wait. */
  const pushing = async () => {
    await as()
      .post('/suppressions/batch/add')
      .send({ emails: [ADA, 'grace@example.com'] })
      .expect(201);
    await change({ push_additions: true });
    await pause('2100-01-01');
    const { id } = await compare(world, world.alice, list);
    await as().post(`${path()}/plans/${id}/apply`).send({}).expect(202);
    await until(async () => (await show()).pushes.pending === 2);
    return id;
  };

  it('says so if a switch was turned off before its changes were sent', async () => {
    const id = await pushing();
    await change({ push_additions: false });
    expect(await settled(world, world.alice, list, id)).toMatchObject({
      status: 'applied',
      applied: 0,
      skipped: 2,
      reason: expect.stringContaining('switch was turned off'),
    });
    expect(added()).toEqual([]);
  });

  it('sends nothing more after it was discarded while it was applied', async () => {
    const id = await pushing();
    await as().delete(`${path()}/plans/${id}`).expect(200);
    await pause(null);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await show()).pushes.pending === 0;
    });
    expect(added()).toEqual([]);
    await as().get(`${path()}/plans/${id}`).expect(404);
    await world.app.get(PlanSweep).run();
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ push: 2 });
    expect(await apply(world, world.alice, list, plan.id)).toMatchObject({ status: 'applied', applied: 2 });
    expect(added()).toHaveLength(2);
  });

  it('drops a change that is being written when the plan is discarded', async () => {
    const id = await pushing();
    const attempt = new Client(world.database.url);
    await attempt.connect();
    await attempt.query('BEGIN');
    await attempt.query('UPDATE provider_list_pushes SET attempts = attempts + 1 WHERE email = $1', [ADA]);
    await as().delete(`${path()}/plans/${id}`).expect(200);
    const withdrawn = world.app.get(PushWorker).run();
    await world.database.untilWaiting();
    await attempt.query('COMMIT');
    await attempt.end();
    await withdrawn;
    expect(await show()).toMatchObject({ pushes: { pending: 0, failed: 0 } });
  });

  it('drops nothing but its own changes when it is discarded', async () => {
    const id = await pushing();
    await as().post('/suppressions').send({ email: 'later@example.com' }).expect(201);
    await as().delete(`${path()}/plans/${id}`).expect(200);
    await pause(null);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return added().length > 0 && (await show()).pushes.pending === 0;
    });
    expect(added()).toEqual(['later@example.com']);
  });

  it('leaves an hour to look at it before the next scheduled one, but no more', async () => {
    await change({ pull: true });
    const { id } = await compare(world, world.alice, list);
    const schedule = async () => {
      await world.database.query('UPDATE provider_lists SET next_run_at = now() WHERE id = $1', [list]);
      await world.app.get(ScheduledPlans).run();
    };
    await schedule();
    expect((await plansOf())[0].id).toBe(id);
    const wait = Date.parse((await show()).next_plan_at) - Date.now();
    expect(wait).toBeGreaterThan(50 * 60 * 1000);
    expect(wait).toBeLessThanOrEqual(60 * 60 * 1000);
    await world.database.query(
      `UPDATE provider_lists SET created_at = created_at - interval '26 hours' WHERE id = $1`,
      [list],
    );
    await schedule();
    await until(async () => (await plansOf())[0].status === 'applied');
    await as().post(`${path()}/plans/${id}/apply`).send({}).expect(409);
  });
});

describe('applying a plan of a provider list', () => {
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
    ses.pageSize = 1_000;
    list = await createSesList(world, world.alice);
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
  });

  const lift = (email: string) => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const planned = () => compare(world, world.alice, list);
  const pathOf = (plan: string) => `/provider-lists/${list}/plans/${plan}`;
  const suppressions = async () =>
    (await world.as(world.alice).get('/suppressions').query({ limit: 100 }).expect(200)).body.data;
  const scheduleNow = async () => {
    await world.database.query(`UPDATE provider_lists SET next_run_at = now() WHERE id = $1`, [list]);
    await world.app.get(ScheduledPlans).run();
  };
  const latestPlan = async () =>
    (await world.as(world.alice).get(`/provider-lists/${list}/plans`).expect(200)).body.data[0];

  it('adds with the cause and the date of the provider, and with the list as the actor', async () => {
    ses.list('Ada@example.com', 'COMPLAINT', '2026-01-10T08:00:00Z');
    const { id } = await planned();
    expect(await apply(world, world.alice, list, id)).toMatchObject({
      status: 'applied',
      applied: 1,
      skipped: 0,
    });
    const { body } = await world.as(world.alice).get('/suppressions/ada@example.com/history').expect(200);
    expect(body.data).toMatchObject([
      {
        action: 'added',
        cause: 'complaint',
        occurred_at: '2026-01-10T08:00:00.250Z',
        actor: { type: 'provider_list', id: list, name: 'SES in Ireland' },
      },
    ]);
  });

  it('changes nothing the second time, nor does the next plan', async () => {
    ['a', 'b', 'c'].forEach((name) => ses.list(`${name}@example.com`));
    const { id } = await planned();
    await apply(world, world.alice, list, id);
    const before = await suppressions();
    expect(await apply(world, world.alice, list, id)).toMatchObject({ status: 'applied', applied: 3 });
    const next = await planned();
    expect(next.counts).toMatchObject({ pull: 0, agreed: 3 });
    expect(await apply(world, world.alice, list, next.id)).toMatchObject({ applied: 0, skipped: 0 });
    expect(await suppressions()).toEqual(before);
    const changes = await world.database.query(
      'SELECT count(*)::integer AS number FROM suppression_changes WHERE account_id = $1',
      [world.acme.id],
    );
    expect(changes).toEqual([{ number: 3 }]);
  });

  it('strengthens, and never weakens', async () => {
    await suppress(world, world.alice, ['manual@example.com']);
    await world
      .as(world.alice)
      .post('/events')
      .send({ type: 'complaint', email: 'complaint@example.com' })
      .expect(200);
    ses.list('manual@example.com', 'COMPLAINT');
    ses.list('complaint@example.com', 'BOUNCE');
    await apply(world, world.alice, list, (await planned()).id);
    for (const email of ['manual@example.com', 'complaint@example.com']) {
      const { body } = await world.as(world.alice).get(`/suppressions/${email}`).expect(200);
      expect(body.origin).toBe('complaint');
    }
  });

  it('skips and counts the lines whose addresses have changed since', async () => {
    ['a', 'b', 'c'].forEach((name) => ses.list(`${name}@example.com`));
    const { id } = await planned();
    await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
    await lift('b@example.com');
    expect(await apply(world, world.alice, list, id)).toMatchObject({ applied: 1, skipped: 2 });
    await world.as(world.alice).get('/suppressions/b@example.com').expect(404);
  });

  it('adds nothing of a batch that is being written when the plan is discarded', async () => {
    ses.list('ada@example.com');
    const { id } = await planned();
    const writer = world.app.get(ChunkWriter);
    const write = writer.write.bind(writer);
    const writing = jest.spyOn(writer, 'write').mockImplementationOnce(async (...batch) => {
      await world.database.query(
        `UPDATE provider_list_plans SET deleted_at = now(), status = 'expired' WHERE id = $1`,
        [id],
      );
      return write(...batch);
    });
    await world
      .as(world.alice)
      .post(`${pathOf(id)}/apply`)
      .send({})
      .expect(202);
    await until(async () => {
      const ended = `SELECT FROM jobs WHERE account_id = $1 AND kind = 'pull' AND status = 'cancelled'`;
      return (await world.database.query(ended, [world.acme.id])).length > 0;
    });
    writing.mockRestore();
    expect(await suppressions()).toEqual([]);
  });

  it('adds the strongest of several entries about an address, and keeps the others', async () => {
    ses.list('ada@example.com', 'BOUNCE');
    ses.list('ADA@example.com', 'COMPLAINT');
    const { id } = await planned();
    expect(await apply(world, world.alice, list, id)).toMatchObject({ applied: 2, skipped: 0 });
    const { body } = await world.as(world.alice).get('/suppressions/ada@example.com').expect(200);
    expect(body).toMatchObject({ origin: 'complaint' });
  });

  it('goes on in another instance, and adds nothing twice, when its instance dies at any point', async () => {
    for (let count = 0; count < 1_200; count++) {
      ses.list(`user${count}@example.com`);
    }
    ses.pageSize = 300;
    const { body } = await world.as(world.alice).post(`/provider-lists/${list}/plans`).expect(202);
    /** What a killed instance leaves behind: a lease that nobody renews. */
    const lose = () =>
      world.database.query(
        `UPDATE jobs SET lease_id = gen_random_uuid(), leased_until = now()
        WHERE account_id = $1 AND status = 'running'`,
        [world.acme.id],
      );
    const other = await startTestApp(world.database.url, {
      ...LOOPBACK,
      PROVIDER_API_URL_SES: ses.url,
    });
    await until(() => ses.requests.length >= 2);
    await lose();
    const plan = await settled(world, world.alice, list, body.id);
    expect(plan).toMatchObject({ status: 'ready', entries: 1_200, counts: { pull: 1_200 } });
    await world
      .as(world.alice)
      .post(`${pathOf(plan.id)}/apply`)
      .send({})
      .expect(202);
    await until(async () => (await suppressions()).length > 0);
    await lose();
    const applied = await settled(world, world.alice, list, plan.id);
    await other.close();
    expect(applied).toMatchObject({ status: 'applied', applied: 1_200, skipped: 0 });
    const [{ number }] = (await world.database.query(
      'SELECT count(*)::integer AS number FROM suppression_changes WHERE account_id = $1',
      [world.acme.id],
    )) as [{ number: number }];
    expect(number).toBe(1_200);
  });

  it('waits for a person when the provider is suddenly almost empty', async () => {
    for (let count = 0; count < 10; count++) {
      ses.list(`user${count}@example.com`);
    }
    await apply(world, world.alice, list, (await planned()).id);
    ses.entries.clear();
    ses.list('new@example.com');
    const earlier = await planned();
    const stopped = await planned();
    expect(stopped).toMatchObject({
      status: 'stopped',
      reason: 'The provider had 10 entries when a plan was last applied, and has 1 now.',
      counts: { pull: 1, drift: 10 },
    });
    const { body } = await world
      .as(world.alice)
      .post(`${pathOf(stopped.id)}/apply`)
      .send({})
      .expect(409);
    expect(body.code).toBe('provider_list_plan_stopped');
    const replaced = await world
      .as(world.alice)
      .post(`${pathOf(earlier.id)}/apply`)
      .send({ accept_stop: true })
      .expect(409);
    expect(replaced.body.code).toBe('provider_list_plan_status');
    await world
      .as(world.alice)
      .post(`${pathOf(stopped.id)}/apply`)
      .send({ accept_stop: true })
      .expect(202);
    expect(await settled(world, world.alice, list, stopped.id)).toMatchObject({
      status: 'applied',
      applied: 1,
    });
    expect(await suppressions()).toHaveLength(11);
  });

  describe('at the interval', () => {
    it('makes a plan and applies it, if the list pulls', async () => {
      ses.list('ada@example.com');
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: true }).expect(200);
      await scheduleNow();
      await until(async () => (await latestPlan())?.status === 'applied');
      await world.as(world.alice).get('/suppressions/ada@example.com').expect(200);
      const { body } = await world.as(world.alice).get(`/provider-lists/${list}`).expect(200);
      expect(Date.parse(body.next_plan_at)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000);
      const { body: log } = await world.as(world.alice).get('/audit-log').expect(200);
      expect(log.data[0]).toMatchObject({
        action: 'provider_list.plan_applied',
        actor: { type: 'system' },
      });
    });

    it('makes the plan of a list although that of another one failed', async () => {
      const failing = await createSesList(world, world.alice);
      const plans = world.app.get(PlansRepository);
      const createPlan = plans.create.bind(plans);
      const create = jest
        .spyOn(plans, 'create')
        .mockImplementation((due, ...rest) =>
          due.id === failing ? Promise.reject(new Error('lost')) : createPlan(due, ...rest),
        );
      await world.database.query(`UPDATE provider_lists SET next_run_at = '2000-01-01' WHERE id = $1`, [
        failing,
      ]);
      await scheduleNow();
      expect(create.mock.calls[0]![0].id).toBe(failing);
      create.mockRestore();
      await until(async () => (await latestPlan())?.status === 'ready');
      await world.as(world.alice).delete(`/provider-lists/${failing}`).expect(200);
    });

    it('makes none while the account is suspended, and ends a comparison that has begun', async () => {
      const accounts = world.app.get(AccountsService);
      const { name } = world.acme;
      ses.requests.length = 0;
      const held = holdNext(ses);
      await scheduleNow();
      const release = await held;
      await accounts.suspend(OPERATOR, name);
      release(200, '{"SuppressedDestinationSummaries":[],"NextToken":"more"}');
      const plans = () =>
        world.database.query<{ status: string; reason: string }>(
          'SELECT status, reason FROM provider_list_plans WHERE provider_list_id = $1 ORDER BY id',
          [list],
        );
      await until(async () => (await plans())[0]!.status === 'failed');
      expect(await plans()).toMatchObject([{ reason: 'The account was suspended.' }]);
      await world.app.get(ScheduledPlans).run();
      expect(await plans()).toHaveLength(1);
      expect(ses.requests).toHaveLength(1);
      await accounts.admit(OPERATOR, name);
      await world.app.get(ScheduledPlans).run();
      await until(async () => (await plans())[1]?.status === 'ready');
    });

    it('only reports, if the list does not pull', async () => {
      ses.list('ada@example.com');
      await scheduleNow();
      await until(async () => (await latestPlan())?.status === 'ready');
      const { body } = await world.as(world.alice).get(`/provider-lists/${list}`).expect(200);
      expect(body).toMatchObject({ counts: { pull: 1 }, last_error: null });
      expect(await suppressions()).toEqual([]);
    });

    it('compares while another job of the account runs, and pulls nothing if the list has stopped pulling then', async () => {
      ses.list('ada@example.com');
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: true }).expect(200);
      const [other] = await world.database.query<{ id: string }>(
        `INSERT INTO jobs (account_id, id, kind, status, checkpoint, lease_id, leased_until)
        VALUES ($1, uuid_v7(), 'import', 'running', '{}', uuid_v7(), now() + interval '1 hour')
        RETURNING id`,
        [world.acme.id],
      );
      await scheduleNow();
      await until(async () => (await latestPlan())?.status === 'applying');
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: false }).expect(200);
      await world.database.query('DELETE FROM jobs WHERE id = $1', [other!.id]);
      await until(async () => (await latestPlan())?.status === 'applied');
      expect((await latestPlan()).reason).toContain('turned off before all lines were added');
      expect(await suppressions()).toEqual([]);
    });

    it('gives no reason for pulling nothing, if the list only pushes', async () => {
      ses.list('ada@example.com');
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ push_additions: true }).expect(200);
      await scheduleNow();
      await until(async () => (await latestPlan())?.status === 'applied');
      expect(await latestPlan()).toMatchObject({ counts: { pull: 1 }, reason: null });
    });

    it('only reports, if the list stops pulling during the comparison', async () => {
      ses.list('ada@example.com');
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: true }).expect(200);
      const held = holdNext(ses);
      await scheduleNow();
      const release = await held;
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: false }).expect(200);
      release(200, '{"SuppressedDestinationSummaries":[]}');
      expect(await settled(world, world.alice, list, (await latestPlan()).id)).toMatchObject({
        status: 'ready',
      });
    });

    it('does not apply a plan that stopped', async () => {
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ pull: true }).expect(200);
      ses.list('ada@example.com');
      await apply(world, world.alice, list, (await planned()).id);
      ses.entries.clear();
      await scheduleNow();
      await until(async () => (await latestPlan()).status === 'stopped');
      const { body } = await world.as(world.alice).get(`/provider-lists/${list}`).expect(200);
      expect(body.last_error).toContain('has 0 now');
    });
  });

  describe('later', () => {
    it('a plan expires after 24 hours, and its lines are deleted', async () => {
      ses.list('ada@example.com');
      const { id } = await planned();
      await world.database.query(
        `UPDATE provider_list_plans SET ready_at = now() - interval '25 hours' WHERE id = $1`,
        [id],
      );
      await world
        .as(world.alice)
        .post(`${pathOf(id)}/apply`)
        .send({})
        .expect(409);
      await world.app.get(PlanSweep).run();
      const { body } = await world.as(world.alice).get(pathOf(id)).expect(200);
      expect(body.status).toBe('expired');
      expect(await linesOf(world, world.alice, list, id)).toEqual([]);
    });

    it('a plan expires when the credentials of another owner replace those that read it', async () => {
      const { id } = await planned();
      const credentials = { access_key_id: 'AKIDOFANOTHERTEAM', secret_access_key: 'another-secret' };
      await world.as(world.alice).patch(`/provider-lists/${list}`).send({ credentials }).expect(200);
      const { body } = await world.as(world.alice).get(pathOf(id)).expect(200);
      expect(body.status).toBe('expired');
      await world
        .as(world.alice)
        .post(`${pathOf(id)}/apply`)
        .send({})
        .expect(409);
    });

    it('two instances that delete lines do not wait for each other', async () => {
      ses.list('ada@example.com');
      const plans = [await planned(), await planned(), await planned()];
      const [first, second] = plans.map(({ id }) => id);
      await world.app.get(DataSource).transaction(async (transaction) => {
        await transaction.query('SELECT FROM provider_list_plans WHERE id = $1 FOR NO KEY UPDATE', [first]);
        await world.app.get(PlanSweep).run();
        expect(await linesOf(world, world.alice, list, second!)).toEqual([]);
        expect(await linesOf(world, world.alice, list, first!)).toHaveLength(1);
      });
      await world.app.get(PlanSweep).run();
      expect(await linesOf(world, world.alice, list, first!)).toEqual([]);
    });

    it('what the last applied plan read stays, so that the next one can be compared with it', async () => {
      ses.list('ada@example.com');
      const { id } = await planned();
      await apply(world, world.alice, list, id);
      await world.database.query(
        `UPDATE provider_list_plans SET ready_at = now() - interval '8 days' WHERE id = $1`,
        [id],
      );
      await world.app.get(PlanSweep).run();
      ses.list('bob@example.com');
      ses.entries.delete('ada@example.com');
      expect((await planned()).counts).toMatchObject({ drift: 1, pull: 1 });
    });

    it('a discarded plan is gone with its rows, and a deleted list with all of its plans', async () => {
      ses.list('ada@example.com');
      const { id } = await planned();
      await world.as(world.alice).delete(pathOf(id)).expect(200);
      await world.as(world.alice).get(pathOf(id)).expect(404);
      await apply(world, world.alice, list, (await planned()).id);
      await world.as(world.alice).delete(`/provider-lists/${list}`).expect(200);
      await world.as(world.alice).get(`/provider-lists/${list}`).expect(404);
      await world.app.get(PlanSweep).run();
      for (const table of ['lists', 'list_plans', 'list_entries', 'list_lines']) {
        const rows = await world.database.query(`SELECT 1 FROM provider_${table} WHERE account_id = $1`, [
          world.acme.id,
        ]);
        expect(rows).toEqual([]);
      }
      await world.as(world.alice).get('/suppressions/ada@example.com').expect(200);
    });
  });
});

const BEFORE = Date.parse('2026-01-10T08:00:00Z') / 1_000;

const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };

describe('the caps of removals at a provider', () => {
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
    sendgrid.requests.length = 0;
    list = await createSendGridList(world, world.alice, { push_additions: false });
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const numbered = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => `${name}${String(index).padStart(3, '0')}@example.com`);
  const bounce = (emails: string[]) =>
    as()
      .post('/events')
      .send(emails.map((email) => ({ type: 'bounce', email })))
      .expect(200);
  const lift = (emails: string[]) => as().post('/suppressions/batch/remove').send({ emails }).expect(200);
  const listed = (emails: string[]) => emails.map((email) => ({ email, created: BEFORE }));
  const pushes = async () =>
    (await as().get(`/provider-lists/${list}/pushes?limit=100`).expect(200)).body.data;
  const paused = (pausedUntil: string | null) =>
    world.database.query('UPDATE provider_lists SET push_paused_until = $2 WHERE id = $1', [
      list,
      pausedUntil,
    ]);
  const path = () => `/provider-lists/${list}`;
  const confirm = (emails: string[]) => as().post(`${path()}/removals`).send({ emails, consent: CONSENT });
  const dayLater = () =>
    world.database.query(
      `UPDATE provider_list_pushes
      SET next_attempt_at = next_attempt_at - interval '1 day', attempted_at = attempted_at - interval '1 day',
        created_at = created_at - interval '1 day'
      WHERE provider_list_id = $1`,
      [list],
    );
  /** Works until nothing is due, and nothing new has happened. */
  const worked = () =>
    untilPushed(
      world,
      list,
      `pushing_plan_id IS NOT NULL
      OR EXISTS (
        SELECT FROM provider_list_pushes
        WHERE provider_list_id = list.id AND status = 'pending' AND next_attempt_at <= now()
      )`,
    );
  /** The provider lists the addresses, and the list here has them from it. */
  const pullListed = async (lists: Record<string, string[]>) => {
    Object.entries(lists).forEach(([name, emails]) => (sendgrid.lists[name] = listed(emails)));
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
  };

  it('are not used up by looking up what the provider never had', async () => {
    const elsewhere = numbered(60, 'elsewhere');
    await bounce([...elsewhere, ADA]);
    await worked();
    await lift(elsewhere);
    await worked();
    expect(await pushes()).toEqual([]);
    sendgrid.lists.bounces = listed([ADA]);
    await lift([ADA]);
    await worked();
    expect(sendgrid.accepts(ADA)).toBe(true);
  });

  it('let 50 entries be removed in a day; the others wait for the next one, or for a plan', async () => {
    await pullListed({ bounces: numbered(60, 'b') });
    await lift(numbered(60, 'b'));
    await worked();
    expect(sendgrid.lists.bounces).toHaveLength(10);
    const waiting = await pushes();
    expect(waiting).toHaveLength(10);
    expect(waiting[0]).toMatchObject({
      status: 'pending',
      attempts: 0,
      error: expect.stringContaining('without a plan'),
    });
    expect(Date.parse(waiting[0].next_attempt_at)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000);
    const lookups = sendgrid.requests.length;
    const { body } = await as().post(`${path()}/pushes/retry`).expect(200);
    expect(body.retried).toBe(0);
    await worked();
    expect(sendgrid.requests).toHaveLength(lookups);
    await dayLater();
    await worked();
    expect(sendgrid.lists.bounces).toEqual([]);
    expect(await pushes()).toEqual([]);
  });

  it('do not hold up additions', async () => {
    await pullListed({ bounces: numbered(350, 'b') });
    await lift(numbered(100, 'b'));
    await worked();
    await as().patch(path()).send({ push_additions: true }).expect(200);
    await paused('2100-01-01');
    for (let index = 100; index < 350; index += 50) {
      await lift(numbered(350, 'b').slice(index, index + 50));
    }
    await bounce([ADA]);
    const take = jest.spyOn(world.app.get(OutboxRepository), 'take');
    try {
      await paused(null);
      await until(async () => {
        await world.app.get(PushWorker).run();
        return !sendgrid.accepts(ADA);
      });
      expect(take.mock.calls.length).toBeLessThan(50);
    } finally {
      take.mockRestore();
    }
    await worked();
    const { body } = await as().get(path()).expect(200);
    expect(body.pushes).toMatchObject({ pending: 300, failed: 0 });
    const waiting = { attempts: 0, error: expect.stringContaining('without a plan') };
    expect(await pushes()).toEqual(Array(100).fill(expect.objectContaining(waiting)));
  });

  it('wait no longer than until one of those that were sent is a day old', async () => {
    await pullListed({ bounces: [...numbered(50, 'b'), ADA] });
    await lift(numbered(50, 'b'));
    await worked();
    await world.database.query(
      `UPDATE provider_list_pushes SET attempted_at = attempted_at - interval '23 hours'
      WHERE provider_list_id = $1 AND email = $2`,
      [list, numbered(50, 'b')[0]],
    );
    await lift([ADA]);
    await worked();
    const [waiting] = await pushes();
    expect(waiting).toMatchObject({ email: ADA, status: 'pending' });
    expect(Date.parse(waiting.next_attempt_at)).toBeLessThan(Date.now() + 61 * 60 * 1000);
  });

  it('let a hundredth of a larger list be removed in a day, and at most 200 entries', async () => {
    const emails = numbered(4, 'b');
    await pullListed({ bounces: emails });
    for (const [index, [entries, sent]] of [
      [15_000, 150],
      [15_100, 150],
      [1_000_000, 199],
      [1_000_000, 200],
    ].entries()) {
      await world.database.query('DELETE FROM provider_list_pushes WHERE provider_list_id = $1', [list]);
      await world.database.query('UPDATE provider_list_plans SET entries = $2 WHERE provider_list_id = $1', [
        list,
        entries,
      ]);
      await world.database.query(
        `INSERT INTO provider_list_pushes
          (account_id, provider_list_id, email, list, address, action, cause, since, status, attempted_at, next_attempt_at, consent, plan_id)
        SELECT account_id, id, number || '@example.com', 'bounces', number || '@example.com', 'remove', 'bounce', now(), 'done', now(), now(),
          CASE number WHEN 0 THEN $3::jsonb END, CASE number WHEN -1 THEN base_plan_id END
        FROM provider_lists, generate_series(-1, $2) AS number
        WHERE id = $1`,
        [list, sent, CONSENT],
      );
      await lift([emails[index]!]);
      await worked();
    }
    expect(emails.map((email) => sendgrid.accepts(email))).toEqual([false, true, true, false]);
  });

  it('do not count a slow database as a failure of the provider', async () => {
    await pullListed({ bounces: numbered(51, 'b') });
    const failures = async () =>
      (
        await world.app
          .get(Metrics)
          .registry.getSingleMetric('suppression_list_provider_failures_total')!
          .get()
      ).values;
    const before = await failures();
    const postpone = jest
      .spyOn(world.app.get(OutboxRepository), 'postponeRemovals')
      .mockRejectedValueOnce(new Error('timeout'));
    await lift(numbered(51, 'b'));
    await until(async () => {
      await world.app.get(PushWorker).run();
      return postpone.mock.calls.length > 0;
    });
    postpone.mockRestore();
    expect(await failures()).toEqual(before);
    expect(await pushes()).toMatchObject([
      { status: 'pending', error: expect.stringContaining('without a plan') },
    ]);
  });

  it('do not hold up the removals of a plan', async () => {
    await pullListed({ bounces: numbered(60, 'b') });
    await lift(numbered(60, 'b'));
    await worked();
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ remove: 10 });
    expect(await apply(world, world.alice, list, plan.id)).toMatchObject({ status: 'applied', applied: 10 });
    expect(sendgrid.lists.bounces).toEqual([]);
  });

  it('do not leave one of two entries of an address, with a plan and without', async () => {
    const emails = numbered(52, 'b');
    await pullListed({ bounces: emails, invalid_emails: [emails[49]!] });
    await as().patch(path()).send({ push_removals: false }).expect(200);
    await lift(emails);
    await as().patch(path()).send({ push_removals: true }).expect(200);
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ counts: { remove: 53 }, capped: 3 });
    expect(await apply(world, world.alice, list, plan.id)).toMatchObject({ applied: 51, capped: 2 });
    expect(sendgrid.lists.bounces!.map(({ email }) => email)).toEqual(emails.slice(50));
    expect(sendgrid.lists.invalid_emails).toEqual([]);

    const others = numbered(50, 'c');
    await pullListed({ bounces: others, invalid_emails: others.slice(0, 1) });
    await world.database.query(
      `UPDATE provider_list_pushes SET next_attempt_at = now() + interval '1 hour' WHERE provider_list_id = $1`,
      [list],
    );
    await lift(others);
    await worked();
    const left = [...sendgrid.lists.bounces!, ...sendgrid.lists.invalid_emails!].map(({ email }) => email);
    expect(left).toHaveLength(1);
    expect(left[0]).not.toBe(others[0]);
  });

  it('let people confirm 200 addresses in a day, however often', async () => {
    await confirm(numbered(100, 'a')).expect(202);
    await confirm(numbered(100, 'b')).expect(202);
    await confirm(numbered(100, 'b')).expect(202);
    const { body } = await confirm([ADA, 'b000@example.com']).expect(409);
    expect(body).toMatchObject({ code: 'too_many_provider_list_removals' });
    const [, at] = /after (\S+)\.$/.exec(body.message)!;
    expect(Date.parse(at!)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000);
    const rows = await world.database.query(
      'SELECT FROM provider_list_pushes WHERE provider_list_id = $1 AND email = $2',
      [list, ADA],
    );
    expect(rows).toEqual([]);
    await dayLater();
    await confirm([ADA]).expect(202);
  });
});
