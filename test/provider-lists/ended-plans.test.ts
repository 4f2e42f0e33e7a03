import { Client } from 'pg';
import { PlanSweep } from '../../src/provider-lists/plans/plan-sweep.js';
import { ScheduledPlans } from '../../src/provider-lists/plans/scheduled-plans.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { apply, compare, createSendGridList, settled } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

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
