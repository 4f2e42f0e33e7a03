import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { ScheduledPlans } from '../../src/provider-lists/plans/scheduled-plans.js';
import { DroppedPushesRepository } from '../../src/provider-lists/push/dropped-pushes.repository.js';
import { OutboxRepository } from '../../src/provider-lists/push/outbox.repository.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { untilErased } from '../support/erasures.js';
import { failOnce, holdNext, onChange } from '../support/fake-providers/fake-provider.js';
import { type FakeSendGrid, startFakeSendGrid } from '../support/fake-providers/sendgrid.js';
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
  const report = (type: string, email = ADA) => as().post('/events').send({ type, email }).expect(200);
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

  it('compares an address that it has just added, and that is suppressed only for an unsubscribe since', async () => {
    await change({ push_removals: false });
    await report('bounce');
    await unsubscribeHere();
    await settled();
    expect(globals()).toEqual([ADA]);
    sendgrid.lists.unsubscribes = [];
    await liftBounce();
    await settled();
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', counts: { agreed: 1 } });
  });

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

  it('stops a plan if somebody has emptied the list at the provider, but not if the service has', async () => {
    await suppress(ADA);
    await suppress('eve@example.com');
    await settled();
    await compareAndApply();
    await lift(ADA);
    await lift('eve@example.com');
    await settled();
    expect(globals()).toEqual([]);
    expect(await compareAndApply()).toMatchObject({ status: 'ready', entries: 0, reason: null });
    await suppress(ADA);
    await settled();
    await compareAndApply();
    sendgrid.lists.unsubscribes = [];
    expect(await compare(world, world.alice, list)).toMatchObject({ status: 'stopped', entries: 0 });
  });

  it('says why it is paused, even if a plan has stopped', async () => {
    await suppress(ADA);
    await settled();
    await compareAndApply();
    sendgrid.lists.unsubscribes = [];
    const { status, reason } = await compare(world, world.alice, list);
    expect([status, (await show()).last_error]).toEqual(['stopped', reason]);
    sendgrid.faults.push(failOnce(429, { 'retry-after': '600' }));
    await suppress('eve@example.com');
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await show()).status === 'paused';
    });
    expect((await show()).last_error).toBe('The provider received too many requests (429).');
    await as().post(`/provider-lists/${list}/pushes/retry`).send({}).expect(200);
    await settled();
    expect(await show()).toMatchObject({ status: 'active', last_error: reason });
  });

  it('adds with a plan what was suppressed again after a confirmed removal had failed', async () => {
    await change({ push_additions: false });
    const consent = { kind: 'recipient_request', reference: 'Case 4711' };
    sendgrid.lists.unsubscribes = [{ email: ADA, created: Math.floor(Date.now() / 1_000) + 60 }];
    await as()
      .post(`/provider-lists/${list}/removals`)
      .send({ emails: [ADA], consent })
      .expect(202);
    await settled();
    expect((await show()).pushes).toMatchObject({ failed: 1 });
    sendgrid.lists.unsubscribes = [];
    await suppress(ADA);
    await settled();
    await change({ push_additions: true });
    await compareAndApply();
    expect(globals()).toEqual([ADA]);
    expect((await show()).pushes).toMatchObject({ failed: 0, pending: 0 });
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

  it('drops a waiting removal of an own entry after its source has reported an opt-out', async () => {
    const unsubscribeThere = await connectSource();
    await report('bounce');
    await settled();
    sendgrid.faults.push(failOnce(500));
    await lift(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await show()).status === 'paused';
    });
    await unsubscribeThere();
    await lift(ADA);
    await as().post(`/provider-lists/${list}/pushes/retry`).send({}).expect(200);
    await settled();
    expect(globals()).toEqual([ADA]);
    expect((await compareAndApply()).counts).toMatchObject({ remove: 0, pull: 0, cannot: 1 });
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

  it('lets the bounces of a plan wait for an incident, too', async () => {
    await world.database.query(`UPDATE accounts SET incident_guard = 'hold' WHERE id = $1`, [world.acme.id]);
    await change({ push_additions: false });
    await report('bounce');
    await report('complaint', 'complained@example.com');
    await settled();
    await change({ push_additions: true });
    const { id, seconds } = await compare(world, world.alice, list);
    expect(seconds).toBe(121);
    await as().post(`/provider-lists/${list}/plans/${id}/apply`).send({}).expect(202);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return globals().length > 0;
    });
    await world.app.get(PushWorker).run();
    expect(globals()).toEqual(['complained@example.com']);
    await as().delete(`/suppressions/${ADA}`).expect(200);
    await world.database.query(
      'UPDATE provider_list_pushes SET next_attempt_at = now() WHERE provider_list_id = $1',
      [list],
    );
    await until(async () => {
      const { body } = await as().get(`/provider-lists/${list}/plans/${id}`).expect(200);
      return body.status === 'applied' && body.applied === 1 && body.skipped === 1;
    });
    expect(globals()).toEqual(['complained@example.com']);
  });

  it('sends the other additions of a plan while its bounces wait, so their time counts only once', async () => {
    await world.database.query(`UPDATE accounts SET incident_guard = 'hold' WHERE id = $1`, [world.acme.id]);
    await change({ push_additions: false });
    for (let batch = 0; batch < 7; batch++) {
      const emails = Array.from({ length: 100 }, (_, index) => `user${batch}-${index}@example.com`);
      await as().post('/suppressions/batch/add').send({ emails }).expect(201);
    }
    await settled();
    await change({ push_additions: true });
    expect(await compare(world, world.alice, list)).toMatchObject({ counts: { push: 700 }, seconds: 140 });
    await change({ push_additions: false });
    await report('bounce');
    await settled();
    await change({ push_additions: true });
    expect(await compare(world, world.alice, list)).toMatchObject({ counts: { push: 701 }, seconds: 141 });
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

  it.each([400, 422])(
    'fails changes that the provider refuses with %i, and sends the others',
    async (status) => {
      const refused = Array.from({ length: 8 }, (_, index) => `a${index}@example.com`);
      sendgrid.faults.push(...refused.map(() => failOnce(status)));
      await as().post('/suppressions/batch/add').send({ emails: refused }).expect(201);
      await as().post('/suppressions').send({ email: ADA }).expect(201);
      await settled();
      expect(globals()).toEqual([ADA]);
      expect(await show()).toMatchObject({ status: 'active', pushes: { pending: 0, failed: 8 } });
      const { body } = await as().get(`/provider-lists/${list}/pushes?email=${refused[0]}`).expect(200);
      expect(body.data).toMatchObject([
        { status: 'failed', error: 'The provider refused it for this address.' },
      ]);
    },
  );

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
  const rowsOf = <Found extends object>(columns: string, table: string) =>
    world.database.query<Found>(`SELECT ${columns} FROM ${table} WHERE account_id = $1 AND email = $2`, [
      world.acme.id,
      ADA,
    ]);
  const untilSent = (count: number) =>
    until(async () => {
      await world.app.get(PushWorker).run();
      return changes().length === count;
    });

  it('keeps the consent of a removal when a plan would remove the same entry, and in later plans', async () => {
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
    await world.database.query(
      `UPDATE provider_list_pushes SET next_attempt_at = now() - interval '8 days' WHERE provider_list_id = $1`,
      [list],
    );
    await apply(world, world.alice, list, (await compare(world, world.alice, list)).id);
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

  it.each([
    ['', null],
    [', and an instance died before', randomUUID()],
  ])('is sent although the clock of the database was set back%s', async (_, leaseId) => {
    await set('push_lease_id', leaseId);
    await set('push_leased_until', '2100-01-01');
    await as().post('/suppressions').send({ email: ADA }).expect(201);
    await untilSent(1);
  });

  it('is sent at once after another, although the clock of the instance is ahead of that of the database', async () => {
    await as().post('/suppressions').send({ email: ADA }).expect(201);
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 180_000);
    await untilSent(1);
    clock.mockRestore();
    await as().post('/suppressions').send({ email: 'berta@example.com' }).expect(201);
    await untilSent(2);
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

const NEW = 'new@example.com';

const ADDITIONS = 4_500;

const REMOVALS = 2_500;

const OF_PLAN = 1_500;

interface Row {
  email: string;
  action: string;
  status: string;
  attempts: number;
  isMarked: boolean;
}

describe('changes that are not wanted anymore', () => {
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
    await untilPushed(world, list);
    await pauseUntil('2100-01-01');
    sendgrid.requests.length = 0;
  });
  afterAll(async () => {
    await service?.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const pauseUntil = (pausedUntil: string | null) =>
    world.database.query('UPDATE provider_lists SET push_paused_until = $2 WHERE id = $1', [
      list,
      pausedUntil,
    ]);
  const insert = (
    count: number,
    name: string,
    action: 'add' | 'remove',
    more: Record<string, unknown> = {},
  ) => {
    const columns = Object.keys(more);
    return world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, cause, since, next_attempt_at
        ${columns.map((column) => `, ${column}`).join('')}
      )
      SELECT account_id, id, address, 'unsubscribes', address, $3, 'bounce', now(), now() - interval '1 minute'
        ${columns.map((_, index) => `, $${index + 5}`).join('')}
      FROM provider_lists, generate_series(1, $4::integer) AS number, LATERAL (SELECT $2 || number || '@example.com' AS address) AS made
      WHERE id = $1`,
      [list, name, action, count, ...Object.values(more)],
    );
  };
  const rows = () =>
    world.database.query<Row>(
      `SELECT email, action, status, attempts, put_at IS NOT NULL AS "isMarked"
      FROM provider_list_pushes WHERE provider_list_id = $1 ORDER BY email`,
      [list],
    );
  const suppress = (emails: string[]) => as().post('/suppressions/batch/add').send({ emails }).expect(201);
  const changed = () =>
    sendgrid.requests.filter(({ method }) => method !== 'GET').map(({ method, body }) => `${method} ${body}`);
  const work = async () => {
    await pauseUntil(null);
    const take = jest.spyOn(world.app.get(OutboxRepository), 'take');
    try {
      await until(async () => {
        await world.app.get(PushWorker).run();
        return changed().length > 0;
      });
      return take.mock.calls.length;
    } finally {
      take.mockRestore();
    }
  };

  it('are dropped many at a time, so that a new addition need not wait for them', async () => {
    await insert(ADDITIONS, 'lifted', 'add');
    await insert(3, 'sent', 'add', { attempted_at: '2026-01-15' });
    await insert(3, 'put', 'add', { put_at: '2026-01-15' });
    await suppress([NEW]);
    expect(await work()).toBeLessThan(50);
    expect(changed()).toEqual([`POST {"recipient_emails":["${NEW}"]}`]);
    await untilPushed(world, list);
    const marked = { action: 'add', status: 'done', attempts: 0, isMarked: true };
    expect(await rows()).toEqual([
      { ...marked, email: NEW, attempts: 1 },
      ...[1, 2, 3].map((number) => ({ ...marked, email: `put${number}@example.com` })),
      ...[1, 2, 3].map((number) => ({ ...marked, email: `sent${number}@example.com` })),
    ]);
  });

  it('are removals of addresses that are suppressed again, and never become additions', async () => {
    await insert(REMOVALS, 'again', 'remove');
    await insert(3, 'own', 'remove', { put_at: '2026-01-15' });
    await insert(3, 'unsure', 'remove', { put_at: '2026-01-15', attempted_at: '2026-01-16' });
    const names = await rows();
    await world.database.query(
      `INSERT INTO suppressions (account_id, id, email, cause, created_at)
      SELECT $1, uuid_v7(), unnest($2::text[]), 'bounce', now()`,
      [world.acme.id, names.map(({ email }) => email)],
    );
    await suppress([NEW]);
    expect(await work()).toBeLessThan(50);
    expect(changed()).toEqual([`POST {"recipient_emails":["${NEW}"]}`]);
    await untilPushed(world, list);
    const marked = { action: 'add', status: 'done', attempts: 0, isMarked: true };
    expect(await rows()).toEqual([
      { ...marked, email: NEW, attempts: 1 },
      ...[1, 2, 3].map((number) => ({ ...marked, email: `own${number}@example.com` })),
    ]);
  });

  it('are sent at once if they are wanted again before they are dropped', async () => {
    await insert(1, 'again', 'add');
    const dropped = world.app.get(DroppedPushesRepository);
    const drop = dropped.dropUnwanted.bind(dropped);
    const dropping = jest.spyOn(dropped, 'dropUnwanted').mockImplementationOnce(async (...unwanted) => {
      await world.database.query(
        `INSERT INTO suppressions (account_id, id, email, cause, created_at)
        VALUES ($1, uuid_v7(), 'again1@example.com', 'bounce', now())`,
        [world.acme.id],
      );
      await drop(...unwanted);
    });
    try {
      await work();
      expect(dropping).toHaveBeenCalledTimes(1);
    } finally {
      dropping.mockRestore();
    }
    expect(changed()).toEqual(['POST {"recipient_emails":["again1@example.com"]}']);
    expect(await rows()).toMatchObject([{ status: 'done', attempts: 1 }]);
  });

  it('are dropped at once if they are lifted while the provider is asked about them', async () => {
    await suppress([NEW]);
    await pauseUntil(null);
    const held = holdNext(sendgrid);
    const pushed = untilPushed(world, list);
    const answer = await held;
    await as().delete(`/suppressions/${NEW}`).expect(200);
    answer(200, '[]');
    await pushed;
    expect(changed()).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('count as skipped in their plan, which ends when the others were sent', async () => {
    await suppress(['first@example.com']);
    await pauseUntil(null);
    await untilPushed(world, list);
    await pauseUntil('2100-01-01');
    sendgrid.clear();
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await world.database.query(`UPDATE provider_list_plans SET status = 'applying' WHERE id = $1`, [id]);
    await world.database.query('UPDATE provider_lists SET pushing_plan_id = $2 WHERE id = $1', [list, id]);
    await insert(ADDITIONS, 'other', 'add');
    await insert(OF_PLAN, 'planned', 'add', { plan_id: id });
    await suppress([NEW]);
    sendgrid.requests.length = 0;
    await work();
    await untilPushed(world, list);
    const { body } = await as().get(`/provider-lists/${list}/plans/${id}`).expect(200);
    expect(body).toMatchObject({ status: 'applied', applied: 0, skipped: OF_PLAN, reason: null });
  });
});
