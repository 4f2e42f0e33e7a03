import { randomUUID } from 'node:crypto';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { untilErased } from '../support/erasures.js';
import { failOnce, holdNext, onChange } from '../support/fake-providers/fake-provider.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { apply, compare, createSendGridList, linesOf } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const BEFORE = Date.parse('2026-01-10T08:00:00Z') / 1_000;
const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };

describe('a push that something else overtakes', () => {
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
    list = await createSendGridList(world, world.alice);
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const lift = () => as().delete(`/suppressions/${ADA}`).expect(200);
  const changes = () => sendgrid.requests.filter(({ method }) => method !== 'GET');
  const set = (column: string, value: string | null) =>
    world.database.query(`UPDATE provider_lists SET ${column} = $2 WHERE id = $1`, [list, value]);
  const rowsOf = <Row extends object>(columns: string, table: string) =>
    world.database.query<Row>(`SELECT ${columns} FROM ${table} WHERE account_id = $1 AND email = $2`, [
      world.acme.id,
      ADA,
    ]);
  const untilSent = (count: number) =>
    until(async () => {
      await world.app.get(PushWorker).run();
      return changes().length === count;
    });

  it('keeps the consent of a removal when a plan would remove the same entry', async () => {
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE, status: '5.1.1' }];
    await apply(world, world.alice, list, (await compare(world, world.alice, list)).id);
    await set('push_paused_until', 'infinity');
    await lift();
    const removals = `/provider-lists/${list}/removals`;
    await as()
      .post(removals)
      .send({ emails: [ADA], consent: CONSENT })
      .expect(202);
    const { id, counts } = await compare(world, world.alice, list);
    expect(counts).toMatchObject({ remove: 1 });
    await as().post(`/provider-lists/${list}/plans/${id}/apply`).send({}).expect(202);
    await until(async () => {
      const [job] = await world.database.query<{ status: string }>(
        `SELECT jobs.status FROM jobs JOIN provider_list_plans AS plan ON plan.job_id = jobs.id WHERE plan.id = $1`,
        [id],
      );
      return job!.status === 'completed';
    });
    await set('push_paused_until', null);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return sendgrid.accepts(ADA);
    });
    await until(async () => {
      const rows = await rowsOf<{ status: string }>('status', 'provider_list_pushes');
      return rows.every(({ status }) => status === 'done');
    });
    const rows = await rowsOf<{ list: string }>('list, consent', 'provider_list_pushes');
    expect(rows.find((row) => row.list === 'bounces')).toEqual({ list: 'bounces', consent: CONSENT });
  });

  it('is not sent by an instance that has lost its lease', async () => {
    const held = holdNext(sendgrid);
    await as().post('/suppressions').send({ email: ADA }).expect(201);
    void world.app.get(PushWorker).run();
    const answer = await held;
    const other = randomUUID();
    await set('push_lease_id', other);
    answer(200, '[]');
    await world.app.get(PushWorker).run();
    expect(changes()).toEqual([]);
    expect(await rowsOf('status, attempted_at', 'provider_list_pushes')).toEqual([
      { status: 'pending', attempted_at: null },
    ]);
    await set('push_lease_id', null);
    await set('push_leased_until', null);
    await world.database.query('UPDATE provider_list_pushes SET next_attempt_at = now()');
    await untilSent(1);
  });

  it('is no drift when the entry was removed after a plan had read it', async () => {
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE, status: '5.1.1' }];
    await apply(world, world.alice, list, (await compare(world, world.alice, list)).id);
    const { id } = await compare(world, world.alice, list);
    await lift();
    await untilSent(1);
    await until(async () => (await rowsOf('list', 'provider_list_entries')).length === 0);
    await apply(world, world.alice, list, id);
    await as().patch(`/provider-lists/${list}`).send({ push_additions: false }).expect(200);
    await as().post('/suppressions').send({ email: ADA }).expect(201);
    expect((await compare(world, world.alice, list)).counts).toMatchObject({ push: 1, drift: 0 });
  });

  it('is not planned for an address that was erased here, whose block is kept', async () => {
    await as().patch(`/provider-lists/${list}`).send({ push_additions: false }).expect(200);
    await as().post('/suppressions').send({ email: ADA }).expect(201);
    const kept = { keep_block: true, reference: 'Case 4711' };
    await untilErased(world, async () => as().post(`/contacts/${ADA}/erase`).send(kept));
    const { id, counts } = await compare(world, world.alice, list);
    expect(counts).toMatchObject({ push: 0, cannot: 1 });
    const [line] = await linesOf(world, world.alice, list, id);
    expect(line!.reason).toContain('erased');
  });

  it('is gone, with the lines of plans, when the address is erased completely', async () => {
    sendgrid.faults.push(onChange(failOnce(500)));
    await as().post('/suppressions').send({ email: ADA }).expect(201);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await as().get(`/provider-lists/${list}`).expect(200)).body.status === 'paused';
    });
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE }];
    const { id } = await compare(world, world.alice, list);
    expect(await linesOf(world, world.alice, list, id)).toMatchObject([{ email: ADA }]);
    const erasure = { keep_block: false, accept_may_be_mailed_again: true, reference: 'Case 4711' };
    await untilErased(world, async () => as().post(`/contacts/${ADA}/erase`).send(erasure));
    for (const table of ['provider_list_pushes', 'provider_list_lines', 'provider_list_entries']) {
      expect(await rowsOf('email', table)).toEqual([]);
    }
    expect(await apply(world, world.alice, list, id)).toMatchObject({ status: 'applied', applied: 0 });
    await set('push_paused_until', null);
    await world.app.get(PushWorker).run();
    await as().get(`/suppressions/${ADA}`).expect(404);
    expect(changes()).toHaveLength(1);
  });
});
