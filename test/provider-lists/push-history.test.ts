import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { ScheduledPlans } from '../../src/provider-lists/plans/scheduled-plans.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { failOnce } from '../support/fake-providers/fake-provider.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { apply, compare, createSendGridList, linesOf, untilPushed } from '../support/provider-lists.js';
import { createSource, post } from '../support/sources.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const BEFORE = Date.parse('2026-01-10T08:00:00Z') / 1_000;

describe('what a provider list remembers', () => {
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
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const lift = (email: string) => as().delete(`/suppressions/${email}`).expect(200);
  const suppress = (email: string) => as().post('/suppressions').send({ email }).expect(201);
  const report = (type: string) => as().post('/events').send({ type, email: ADA }).expect(200);
  const change = (changes: object) => as().patch(`/provider-lists/${list}`).send(changes).expect(200);
  const show = async () => (await as().get(`/provider-lists/${list}`).expect(200)).body;
  const globals = () => sendgrid.lists.unsubscribes!.map(({ email }) => email);
  const settled = () => untilPushed(world, list);
  /** @returns what lets the provider report that the recipient has unsubscribed there */
  const connectSource = async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const verification_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const account = world.acme.name;
    const source = await createSource(world, 'sendgrid', { account, secrets: { verification_key } });
    return async () => {
      const at = Math.floor(Date.now() / 1_000);
      const event = { email: ADA, timestamp: at, event: 'unsubscribe', sg_event_id: randomUUID() };
      const body = JSON.stringify([event]);
      const signature = sign('sha256', Buffer.from(`${at}${body}`), privateKey).toString('base64');
      const response = await post(world, source, body, {
        'X-Twilio-Email-Event-Webhook-Timestamp': String(at),
        'X-Twilio-Email-Event-Webhook-Signature': signature,
      });
      expect(response.status).toBe(200);
      await until(async () => {
        const reported = `SELECT FROM delivery_events WHERE source_id = $1 AND kind = 'unsubscribe'`;
        return (await world.database.query(reported, [source.id])).length > 0;
      });
    };
  };
  const unsubscribeHere = () => as().post('/contacts').send({ email: ADA, unsubscribed: true }).expect(201);
  const liftBounce = () => as().delete(`/suppressions/${ADA}`).query({ cause: 'bounce' }).expect(200);
  const compareAndApply = async () => {
    const plan = await compare(world, world.alice, list);
    await apply(world, world.alice, list, plan.id);
    return plan;
  };

  it('adds an address again that was lifted here, cleared there, and suppressed again', async () => {
    await change({ push_removals: false });
    await suppress(ADA);
    await settled();
    await compareAndApply();
    await lift(ADA);
    await settled();
    sendgrid.lists.unsubscribes = [];
    await report('complaint');
    await settled();
    expect(globals()).toEqual([ADA]);
  });

  it('pushes with a plan what was lifted and suppressed again since the provider had it, and calls the rest drift', async () => {
    sendgrid.lists.bounces = [ADA, 'eve@example.com'].map((email) => ({ email, created: BEFORE }));
    await compareAndApply();
    await change({ push_additions: false, push_removals: false });
    sendgrid.lists.bounces = [];
    await lift(ADA);
    await suppress(ADA);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ drift: 1, push: 1 });
    const lines = await linesOf(world, world.alice, list, plan.id);
    expect(lines.map(({ email, kind }) => [kind, email]).toSorted()).toEqual([
      ['drift', 'eve@example.com'],
      ['push', ADA],
    ]);
  });

  it('needs a person to remove an own entry after its source has reported an opt-out', async () => {
    const unsubscribeThere = await connectSource();
    await report('bounce');
    await settled();
    expect(globals()).toEqual([ADA]);
    await unsubscribeThere();
    await lift(ADA);
    await settled();
    expect(globals()).toEqual([ADA]);
    const plan = await compareAndApply();
    expect(plan.counts).toMatchObject({ remove: 0, pull: 0, cannot: 1 });
    expect(globals()).toEqual([ADA]);
  });

  it('removes its own global unsubscribe although SendGrid has reported a complaint, which is on another list', async () => {
    await report('bounce');
    await settled();
    sendgrid.lists.spam_reports = [{ email: ADA, created: Math.floor(Date.now() / 1_000) }];
    const plan = await compareAndApply();
    expect(plan.counts).toMatchObject({ pull: 0, agreed: 2 });
    await compareAndApply();
    await lift(ADA);
    await settled();
    expect(globals()).toEqual([]);
    expect(sendgrid.lists.spam_reports).toHaveLength(1);
  });

  it('removes a bounce that was lifted although the recipient has unsubscribed', async () => {
    await change({ push_removals: false });
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE }];
    await compareAndApply();
    await unsubscribeHere();
    await liftBounce();
    await settled();
    await change({ push_removals: true });
    const plan = await compareAndApply();
    expect(plan.counts).toMatchObject({ remove: 1, agreed: 0 });
    expect(sendgrid.lists.bounces).toEqual([]);
  });

  it('removes its own entry for a bounce that was lifted although the recipient has unsubscribed', async () => {
    await report('bounce');
    await settled();
    await unsubscribeHere();
    await liftBounce();
    await settled();
    expect(globals()).toEqual([]);
  });

  it('removes its own entry for a lifted bounce with a plan', async () => {
    await change({ push_removals: false });
    await report('bounce');
    await settled();
    expect(globals()).toEqual([ADA]);
    await unsubscribeHere();
    await liftBounce();
    await settled();
    await change({ push_removals: true });
    const plan = await compareAndApply();
    expect(plan.counts).toMatchObject({ remove: 1, agreed: 0 });
    await settled();
    expect(globals()).toEqual([]);
  });

  it('keeps its own entry if the recipient unsubscribed there, even if the record already had an unsubscribe', async () => {
    const unsubscribeThere = await connectSource();
    await unsubscribeHere();
    await report('bounce');
    await settled();
    expect(globals()).toEqual([ADA]);
    await unsubscribeThere();
    await lift(ADA);
    await settled();
    expect(globals()).toEqual([ADA]);
    const plan = await compareAndApply();
    expect(plan.counts).toMatchObject({ remove: 0, pull: 0, cannot: 1 });
  });

  it('does not add an address again that was cleared there, because one of its causes expires', async () => {
    await report('bounce');
    await report('complaint');
    await settled();
    sendgrid.lists.unsubscribes = [];
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.app.get(ExpirySweep).run();
    const expired = `SELECT cause FROM suppression_changes WHERE account_id = $1 AND action = 'expired'`;
    expect(await world.database.query(expired, [world.acme.id])).toEqual([{ cause: 'bounce' }]);
    await settled();
    expect(globals()).toEqual([]);
    const anHourAgo = `UPDATE provider_list_pushes SET put_at = put_at - interval '1 hour' WHERE provider_list_id = $1`;
    await world.database.query(anHourAgo, [list]);
    expect((await compareAndApply()).counts).toMatchObject({ push: 0, drift: 1 });
  });

  it('removes no bounce by a lift of a record whose bounce was lifted before', async () => {
    await report('bounce');
    await unsubscribeHere();
    await liftBounce();
    await settled();
    const created = Math.floor(Date.now() / 1_000) + 1;
    sendgrid.lists.bounces = [{ email: ADA, created }];
    await until(() => Promise.resolve(Date.now() > created * 1_000));
    await world.database.query(
      `UPDATE provider_list_plans SET ready_at = ready_at - interval '2 hours' WHERE provider_list_id = $1`,
      [list],
    );
    await world.database.query('UPDATE provider_lists SET next_run_at = now() WHERE id = $1', [list]);
    await world.app.get(ScheduledPlans).run();
    await until(async () => {
      const { body } = await as().get(`/provider-lists/${list}/plans`).expect(200);
      return body.data[0].status === 'applied';
    });
    await lift(ADA);
    await settled();
    expect(sendgrid.lists.bounces).toEqual([{ email: ADA, created }]);
    expect((await compare(world, world.alice, list)).counts).toMatchObject({ remove: 0 });
  });

  it('is scheduled as before after a plan that somebody made', async () => {
    const next = async () => {
      const [row] = await world.database.query<{ at: Date }>(
        'SELECT next_run_at AS at FROM provider_lists WHERE id = $1',
        [list],
      );
      return row!.at;
    };
    const before = await next();
    await compare(world, world.alice, list);
    expect(await next()).toEqual(before);
  });

  it('sends no bounce to the provider that an incident holds', async () => {
    await world.database.query(`UPDATE accounts SET incident_guard = 'hold' WHERE id = $1`, [world.acme.id]);
    await report('bounce');
    const pushed = () =>
      world.database.query<{ waits: boolean }>(
        'SELECT next_attempt_at > now() AS waits FROM provider_list_pushes WHERE provider_list_id = $1',
        [list],
      );
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await pushed()).length > 0;
    });
    expect(await pushed()).toEqual([{ waits: true }]);
    await world.database.query(
      `WITH held AS (
        UPDATE suppressions SET expires_at = now() + interval '1 day'
        WHERE account_id = $1
        RETURNING id, expires_at
      )
      INSERT INTO held_bounces (account_id, suppression_id, incident_id, held_until)
      SELECT $1, id, uuid_v7(), expires_at FROM held`,
      [world.acme.id],
    );
    await world.database.query(
      'UPDATE provider_list_pushes SET next_attempt_at = now() WHERE provider_list_id = $1',
      [list],
    );
    await settled();
    expect(globals()).toEqual([]);
    const plan = await compareAndApply();
    expect(plan.counts).toMatchObject({ push: 0, cannot: 1 });
    expect(globals()).toEqual([]);
  });

  const pausedUntilSwitched = async (changes: object) => {
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await show()).status === 'paused';
    });
    await change(changes);
    await until(async () => {
      await world.app.get(PushWorker).run();
      const waits =
        'SELECT FROM provider_lists WHERE id = $1 AND (has_withdrawn OR push_lease_id IS NOT NULL)';
      return (await world.database.query(waits, [list])).length === 0;
    });
  };

  it('knows what it may have put there after the switches were off, and shows no error meanwhile', async () => {
    sendgrid.losses = 1;
    await report('bounce');
    await pausedUntilSwitched({ push_additions: false, push_removals: false });
    expect(globals()).toEqual([ADA]);
    expect(await show()).toMatchObject({ status: 'active', last_error: null });
    await change({ push_removals: true });
    await lift(ADA);
    await settled();
    expect(globals()).toEqual([]);
  });

  it('adds again what it may have removed before the switch was turned off', async () => {
    await report('bounce');
    await settled();
    sendgrid.losses = 1;
    await lift(ADA);
    await pausedUntilSwitched({ push_removals: false });
    expect(globals()).toEqual([]);
    await world.database.query('UPDATE provider_lists SET push_paused_until = NULL WHERE id = $1', [list]);
    await report('complaint');
    await settled();
    expect(globals()).toEqual([ADA]);
  });

  it('counts unexpected answers in several turns', async () => {
    sendgrid.requests.length = 0;
    sendgrid.faults.push(...Array.from({ length: 6 }, () => failOnce(302)));
    const turn = async (requests: number) => {
      await world.database.query(
        'UPDATE provider_list_pushes SET next_attempt_at = now() WHERE provider_list_id = $1',
        [list],
      );
      await until(async () => {
        await world.app.get(PushWorker).run();
        return sendgrid.requests.length === requests;
      });
    };
    const emails = Array.from({ length: 3 }, (_, index) => `a${index}@example.com`);
    await as().post('/suppressions/batch/add').send({ emails }).expect(201);
    await turn(3);
    expect((await show()).status).toBe('active');
    await turn(5);
    expect((await show()).status).toBe('paused');
    expect((await show()).last_error).toContain('302');
    sendgrid.faults.length = 0;
  });

  it('pauses after five changes in a row that the provider answers as it does not document', async () => {
    sendgrid.requests.length = 0;
    sendgrid.faults.push(...Array.from({ length: 8 }, () => failOnce(302)));
    const emails = Array.from({ length: 8 }, (_, index) => `a${index}@example.com`);
    await as().post('/suppressions/batch/add').send({ emails }).expect(201);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await show()).status === 'paused';
    });
    expect(sendgrid.requests).toHaveLength(5);
    expect((await show()).last_error).toContain('302');
    sendgrid.faults.length = 0;
    const due = 'UPDATE provider_lists SET push_paused_until = NULL WHERE id = $1';
    await world.database.query(due, [list]);
    const now = 'UPDATE provider_list_pushes SET next_attempt_at = now() WHERE provider_list_id = $1';
    await world.database.query(now, [list]);
    await settled();
    expect(globals().toSorted()).toEqual(emails);
  });
});
