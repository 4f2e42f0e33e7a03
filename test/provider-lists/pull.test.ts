import { DataSource } from 'typeorm';
import { PlanSweep } from '../../src/provider-lists/plans/plan-sweep.js';
import { ScheduledPlans } from '../../src/provider-lists/plans/scheduled-plans.js';
import { holdNext } from '../support/fake-providers/fake-provider.js';
import { startFakeSes, type FakeSes } from '../support/fake-providers/ses.js';
import { apply, compare, createSesList, linesOf, settled } from '../support/provider-lists.js';
import { startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

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
    for (let count = 0; count < 30; count++) {
      ses.list(`user${count}@example.com`);
    }
    await apply(world, world.alice, list, (await planned()).id);
    ses.entries.clear();
    ses.list('new@example.com');
    const stopped = await planned();
    expect(stopped).toMatchObject({
      status: 'stopped',
      reason: 'The provider had 30 entries when a plan was last applied, and has 1 now.',
      counts: { pull: 1, drift: 30 },
    });
    const { body } = await world
      .as(world.alice)
      .post(`${pathOf(stopped.id)}/apply`)
      .send({})
      .expect(409);
    expect(body.code).toBe('provider_list_plan_stopped');
    await world
      .as(world.alice)
      .post(`${pathOf(stopped.id)}/apply`)
      .send({ accept_stop: true })
      .expect(202);
    expect(await settled(world, world.alice, list, stopped.id)).toMatchObject({
      status: 'applied',
      applied: 1,
    });
    expect(await suppressions()).toHaveLength(31);
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
