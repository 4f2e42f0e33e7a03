import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ErasureSteps } from '../../src/contacts/erasure/erasure-steps.js';
import { ErasuresRepository } from '../../src/contacts/erasure/erasures.repository.js';
import { DeadlineExceededError } from '../../src/database/errors.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { OutboxRepository } from '../../src/provider-lists/push/outbox.repository.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { letInstancesLearn, untilErased } from '../support/erasures.js';
import { failOnce, onChange, type Fault } from '../support/fake-providers/fake-provider.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { OPERATOR } from '../support/operator.js';
import { apply, compare, createSendGridList, linesOf, untilPushed } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const BEFORE = Date.parse('2026-01-10T08:00:00Z') / 1_000;
const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };

describe('pushing to a provider list', () => {
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
    sendgrid.requests.length = 0;
  });
  afterEach(() => {
    sendgrid.faults.length = 0;
    sendgrid.losses = 0;
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const lift = (email: string) => as().delete(`/suppressions/${email}`).expect(200);
  const suppress = (email: string) => as().post('/suppressions').send({ email }).expect(201);
  const bounce = (email: string) => as().post('/events').send({ type: 'bounce', email }).expect(200);
  const show = async () => (await as().get(`/provider-lists/${list}`).expect(200)).body;
  const pushes = async () => (await as().get(`/provider-lists/${list}/pushes`).expect(200)).body.data;
  const settled = () => untilPushed(world, list);
  const soon = () =>
    world.database.query(
      `UPDATE provider_list_pushes SET next_attempt_at = now() WHERE provider_list_id = $1 AND status = 'pending'`,
      [list],
    );
  const unpause = () =>
    world.database.query('UPDATE provider_lists SET push_paused_until = NULL WHERE id = $1', [list]);
  const globals = () => sendgrid.lists.unsubscribes!.map(({ email }) => email);
  /** Erases the address, and keeps its block. */
  const erase = async (): Promise<string> => {
    const kept = { keep_block: true, reference: 'Case 4711' };
    return (await untilErased(world, async () => as().post(`/contacts/${ADA}/erase`).send(kept))).pseudonym;
  };
  const changesSent = () => sendgrid.requests.filter(({ method }) => method !== 'GET');

  it('adds what is suppressed here, without a plan, and removes it when it is lifted', async () => {
    await suppress(ADA);
    await settled();
    expect(globals()).toEqual([ADA]);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ agreed: 1, push: 0, pull: 0 });
    await lift(ADA);
    await settled();
    expect(globals()).toEqual([]);
    expect(changesSent()).toHaveLength(2);
    expect(await compare(world, world.alice, list)).toMatchObject({
      counts: { pull: 0, remove: 0, cannot: 0 },
    });
  });

  it('rests while the account is suspended, even if a push has begun', async () => {
    const accounts = world.app.get(AccountsService);
    const { name } = world.acme;
    sendgrid.faults.push((response) => {
      void accounts
        .suspend(OPERATOR, name)
        .then(() => response.writeHead(404).end('{"message":"Not Found"}'));
      return true;
    });
    await suppress(ADA);
    await until(async () => sendgrid.requests.length > 0);
    const work = () => world.app.get(PushWorker).run();
    await work();
    await soon();
    await work();
    expect(sendgrid.requests).toHaveLength(1);
    expect(await world.app.get(Metrics).registry.metrics()).not.toContain(list);
    await accounts.admit(OPERATOR, name);
    await soon();
    await settled();
    expect(globals()).toEqual([ADA]);
    expect(await world.app.get(Metrics).registry.metrics()).toContain(list);
  });

  it('does not pull its own entries back as unsubscribes', async () => {
    await suppress(ADA);
    await settled();
    await as().patch(`/provider-lists/${list}`).send({ push_removals: false }).expect(200);
    await lift(ADA);
    await settled();
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ remove: 1, pull: 0 });
    const [line] = await linesOf(world, world.alice, list, plan.id, { kind: 'remove' });
    expect(line).toMatchObject({ email: ADA, list: 'unsubscribes', cause: 'unsubscribe' });
    await apply(world, world.alice, list, plan.id);
    expect(globals()).toEqual([ADA]);
    await as().patch(`/provider-lists/${list}`).send({ push_removals: true }).expect(200);
    const next = await compare(world, world.alice, list);
    expect(await apply(world, world.alice, list, next.id)).toMatchObject({ status: 'applied', applied: 1 });
    expect(globals()).toEqual([]);
  });

  it('does not touch what the provider has listed by itself', async () => {
    sendgrid.lists.unsubscribes = [{ email: ADA, created: BEFORE }];
    sendgrid.lists.spam_reports = [{ email: 'eve@example.com', created: BEFORE }];
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await lift(ADA);
    await lift('eve@example.com');
    await settled();
    expect(changesSent()).toEqual([]);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ cannot: 2, remove: 0, pull: 0 });
    await apply(world, world.alice, list, plan.id);
    expect(changesSent()).toEqual([]);
  });

  it('pushes nothing that was just pulled from the same list', async () => {
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE }];
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    const asBefore = 'UPDATE provider_lists SET base_plan_id = NULL, push_position = 0 WHERE id = $1';
    await world.database.query(asBefore, [list]);
    await settled();
    expect(await pushes()).toEqual([]);
    expect(changesSent()).toEqual([]);
  });

  it('leaves an opt-out that a person made after it had put the address there', async () => {
    await suppress(ADA);
    await settled();
    await world.database.query(
      `UPDATE provider_list_pushes SET put_at = put_at - interval '1 hour' WHERE provider_list_id = $1`,
      [list],
    );
    await lift(ADA);
    await settled();
    expect(globals()).toEqual([ADA]);
    expect((await compare(world, world.alice, list)).counts).toMatchObject({ remove: 0, pull: 1 });
  });

  it('does not pull what a plan read right before it was removed', async () => {
    await suppress(ADA);
    await settled();
    const read = [...sendgrid.lists.unsubscribes!];
    await lift(ADA);
    await settled();
    expect(globals()).toEqual([]);
    sendgrid.lists.unsubscribes = read;
    expect((await compare(world, world.alice, list)).counts).toMatchObject({ remove: 1, pull: 0 });
  });

  it('fails a plan whose changes the provider refuses, and stays stopped after a plan was read', async () => {
    await as().patch(`/provider-lists/${list}`).send({ push_additions: false }).expect(200);
    await suppress(ADA);
    await settled();
    await as().patch(`/provider-lists/${list}`).send({ push_additions: true }).expect(200);
    const { id } = await compare(world, world.alice, list);
    sendgrid.faults.push(onChange(failOnce(403)));
    expect(await apply(world, world.alice, list, id)).toMatchObject({
      status: 'failed',
      reason: 'The credentials lack the permission asm.suppressions.global.create (403).',
    });
    expect(await show()).toMatchObject({ status: 'stopped', last_success_at: expect.any(String) });
    await compare(world, world.alice, list);
    expect((await show()).status).toBe('stopped');
    await as()
      .patch(`/provider-lists/${list}`)
      .send({ credentials: { api_key: 'SG.key' } })
      .expect(200);
    await settled();
    expect(globals()).toEqual([ADA]);
  });

  it('sends nothing that a switch forbids, even if it was queued or tried before', async () => {
    sendgrid.faults.push(onChange(failOnce(500)));
    await suppress(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await pushes())[0]?.attempts === 1;
    });
    await as().patch(`/provider-lists/${list}`).send({ push_additions: false }).expect(200);
    await settled();
    expect(await pushes()).toEqual([]);
    const eve = 'eve@example.com';
    await suppress(eve);
    await world.database.query(
      `INSERT INTO provider_list_pushes (account_id, provider_list_id, email, list, address, action, cause, since)
      SELECT account_id, id, $2, 'unsubscribes', $2, 'add', 'manual', now() FROM provider_lists WHERE id = $1`,
      [list, eve],
    );
    await unpause();
    await world.app.get(PushWorker).run();
    expect(await pushes()).toMatchObject([{ attempts: 0 }]);
    expect(globals()).toEqual([]);
  });

  it('removes a bounce that somebody lifted here, even one that no plan has read', async () => {
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE, status: '5.1.1', reason: 'no' }];
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await bounce('grace@example.com');
    await settled();
    sendgrid.lists.bounces.push({ email: 'grace@example.com', created: BEFORE });
    await lift(ADA);
    await lift('grace@example.com');
    await settled();
    expect(sendgrid.lists.bounces).toEqual([]);
    expect(sendgrid.accepts(ADA)).toBe(true);
  });

  it('removes a lifted bounce that no plan has read, even if more has happened before the list was looked at', async () => {
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE }];
    await world.database.query(
      `UPDATE provider_lists SET push_paused_until = now() + interval '1 hour' WHERE id = $1`,
      [list],
    );
    await bounce(ADA);
    await lift(ADA);
    await suppress(ADA);
    await lift(ADA);
    await unpause();
    await settled();
    expect(sendgrid.lists.bounces).toEqual([]);
  });

  it('does not remove a bounce of the provider when an address is lifted that was only added by hand', async () => {
    await suppress(ADA);
    await settled();
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE }];
    sendgrid.lists.unsubscribes = [];
    const { id } = await compare(world, world.alice, list);
    await world.database.query('UPDATE provider_lists SET base_plan_id = $2 WHERE id = $1', [list, id]);
    await lift(ADA);
    await settled();
    expect(sendgrid.lists.bounces).toHaveLength(1);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ cannot: 1, remove: 0, pull: 0 });
    const [line] = await linesOf(world, world.alice, list, plan.id, { kind: 'cannot' });
    expect(line!.reason).toContain('not as a bounce');
  });

  it('removes a complaint only after a person confirmed it for this address, with a consent', async () => {
    sendgrid.lists.spam_reports = [{ email: ADA, created: BEFORE }];
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    const remove = (body: object) => as().post(`/provider-lists/${list}/removals`).send(body);
    await remove({ emails: [ADA] }).expect(400);
    await remove({ emails: [ADA], consent: null }).expect(400);
    await remove({ emails: [], consent: CONSENT }).expect(400);
    await remove({ emails: [''], consent: CONSENT }).expect(400);
    const refused = await remove({ emails: [ADA], consent: CONSENT }).expect(202);
    expect(refused.body.data).toMatchObject([{ email: ADA, status: 'suppressed', lists: [] }]);
    await lift(ADA);
    const { body } = await remove({ emails: [ADA], consent: CONSENT }).expect(202);
    expect(body.data).toMatchObject([{ email: ADA, status: 'queued' }]);
    await settled();
    expect(sendgrid.accepts(ADA)).toBe(true);
    const [row] = await world.database.query(
      `SELECT status, consent FROM provider_list_pushes WHERE provider_list_id = $1 AND list = 'spam_reports'`,
      [list],
    );
    expect(row).toEqual({ status: 'done', consent: CONSENT });
  });

  it('never removes an address at the provider that was erased here, whether its block holds or was lifted', async () => {
    await suppress(ADA);
    await settled();
    const pseudonym = await erase();
    const remove = async (reference: string) => {
      const sent = { emails: [ADA, 'new@example.com'], consent: { ...CONSENT, reference } };
      return (await as().post(`/provider-lists/${list}/removals`).send(sent).expect(202)).body.data;
    };
    const queued = { email: 'new@example.com', status: 'queued' };
    expect(await remove('4711')).toMatchObject([{ email: ADA, status: 'suppressed', lists: [] }, queued]);
    await lift(ADA);
    expect(await remove(`Mail of ${ADA}`)).toMatchObject([
      { email: ADA, status: 'erased', lists: [] },
      queued,
    ]);
    await settled();
    expect(globals()).toEqual([ADA]);
    const rows = await world.database.query<{ line: object }>(
      'SELECT to_jsonb(push) AS line FROM provider_list_pushes AS push WHERE provider_list_id = $1',
      [list],
    );
    const text = JSON.stringify(rows);
    expect([text.includes(ADA), text.includes(`Mail of ${pseudonym}`)]).toEqual([false, true]);
    const { text: log } = await as().get('/audit-log').expect(200);
    expect(log).not.toContain(ADA);
  });

  it('does not undo an addition whose response was lost when the address is erased and its block kept', async () => {
    sendgrid.losses = 1;
    await suppress(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      const [push] = await pushes();
      return globals().length > 0 && push?.error;
    });
    const kept = { keep_block: true, reference: 'Case 4711' };
    await as().post(`/contacts/${ADA}/erase`).send(kept).expect(202);
    await letInstancesLearn(world);
    for (const erasure of await world.app.get(ErasuresRepository).findPending()) {
      await world.app.get(ErasureSteps).next(erasure);
    }
    await unpause();
    await soon();
    await settled();
    await soon();
    await settled();
    expect(globals()).toEqual([ADA]);
    await erase();
  });

  it('sends a confirmed removal first, and is not held up by an address that no request can name', async () => {
    const queue = (address: string) =>
      world.database.query(
        `INSERT INTO provider_list_pushes (
          account_id, provider_list_id, email, list, address, action, cause, since, next_attempt_at
        )
        SELECT account_id, id, $2, 'unsubscribes', $2, 'add', 'manual', now(), now() - interval '1 hour'
        FROM provider_lists WHERE id = $1`,
        [list, address],
      );
    await as().patch(`/provider-lists/${list}`).send({ push_additions: false }).expect(200);
    await suppress(ADA);
    await settled();
    await as().patch(`/provider-lists/${list}`).send({ push_additions: true }).expect(200);
    await queue(ADA);
    await world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, cause, since, next_attempt_at
      )
      SELECT account_id, id, 'bad@example.com', 'bounces', E'bad@example.com\r', 'remove', 'bounce', now(),
        now() - interval '2 hours'
      FROM provider_lists WHERE id = $1`,
      [list],
    );
    sendgrid.lists.spam_reports = [{ email: 'eve@example.com', created: BEFORE }];
    await as()
      .post(`/provider-lists/${list}/removals`)
      .send({ emails: ['eve@example.com'], consent: CONSENT })
      .expect(202);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return globals().length === 1;
    });
    expect(changesSent().map(({ method }) => method)).toEqual(['DELETE', 'POST']);
    expect(await pushes()).toMatchObject([
      {
        email: expect.stringContaining('bad@example.com'),
        attempts: 1,
        error: expect.stringContaining('could not make a request'),
      },
    ]);
  });

  it('lets only a key that may lift confirm a removal, if the account guards removals', async () => {
    await world.database.query(`UPDATE accounts SET removal = 'guarded' WHERE id = $1`, [world.acme.id]);
    const { body: key } = await as()
      .post('/api-keys')
      .send({ name: 'sync', scopes: ['provider-lists:write'] });
    const token = key.token ?? world.alice;
    const path = `/provider-lists/${list}/removals`;
    const sent = { emails: [ADA], consent: CONSENT };
    if (key.token) {
      const response = await world.as(token).post(path).send(sent).expect(403);
      expect(response.body).toMatchObject({ code: 'removal_not_allowed' });
    }
    await as().post(path).send(sent).expect(202);
  });

  it('does not push unsubscribes, unless the switch is on', async () => {
    await as().post('/contacts').send({ email: ADA, unsubscribed: true }).expect(201);
    await settled();
    expect(globals()).toEqual([]);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ push: 0, cannot: 1 });
    await as().patch(`/provider-lists/${list}`).send({ push_unsubscribes: true }).expect(200);
    const next = await compare(world, world.alice, list);
    expect(next.counts).toMatchObject({ push: 1, cannot: 0 });
    await apply(world, world.alice, list, next.id);
    expect(globals()).toEqual([ADA]);
  });

  it('pushes with a plan what differed before; applying it twice changes nothing the second time', async () => {
    await as()
      .patch(`/provider-lists/${list}`)
      .send({ push_additions: false, push_removals: false })
      .expect(200);
    const emails = Array.from({ length: 30 }, (_, index) => `a${index}@example.com`);
    await as().post('/suppressions/batch/add').send({ emails }).expect(201);
    const reported = await compare(world, world.alice, list);
    expect(reported.counts).toMatchObject({ push: 30 });
    await apply(world, world.alice, list, reported.id);
    expect(globals()).toEqual([]);
    await as().patch(`/provider-lists/${list}`).send({ push_additions: true }).expect(200);
    const plan = await compare(world, world.alice, list);
    expect(await apply(world, world.alice, list, plan.id)).toMatchObject({
      status: 'applied',
      applied: 30,
      skipped: 0,
    });
    expect(globals().toSorted()).toEqual(emails.toSorted());
    expect(changesSent()).toHaveLength(30);
    await as().post(`/provider-lists/${list}/plans/${plan.id}/apply`).send({}).expect(202);
    const next = await compare(world, world.alice, list);
    expect(next.counts).toMatchObject({ push: 0, agreed: 30, pull: 0 });
    await apply(world, world.alice, list, next.id);
    expect(changesSent()).toHaveLength(30);
  });

  it('removes at most 50 entries of a small list in a run, and leaves the others to the next plan', async () => {
    sendgrid.lists.bounces = Array.from({ length: 70 }, (_, index) => ({
      email: `b${String(index).padStart(2, '0')}@example.com`,
      created: BEFORE,
    }));
    await as().patch(`/provider-lists/${list}`).send({ push_removals: false }).expect(200);
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    const emails = sendgrid.lists.bounces.map(({ email }) => email);
    await as().post('/suppressions/batch/remove').send({ emails }).expect(200);
    await settled();
    await as().patch(`/provider-lists/${list}`).send({ push_removals: true }).expect(200);
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ counts: { remove: 70 }, capped: 20 });
    expect(await apply(world, world.alice, list, plan.id)).toMatchObject({ applied: 50, capped: 20 });
    expect(sendgrid.lists.bounces).toHaveLength(20);
    const next = await compare(world, world.alice, list);
    expect(next).toMatchObject({ counts: { remove: 20 }, capped: 0 });
  });

  it.each([
    ['a Retry-After', { 'retry-after': '7' }, 7],
    [
      'the time of the next period',
      { 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 3_600) },
      3_000,
    ],
    ['nothing', {}, 60],
  ])('pauses as long as a 429 with %s asks, which is no attempt', async (_name, headers, seconds) => {
    sendgrid.faults.push(onChange(failOnce(429, headers as Record<string, string>)));
    await suppress(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return changesSent().length === 1 && (await pausedSeconds()) > 0;
    });
    expect(await pausedSeconds()).toBeGreaterThan(seconds / 2);
    expect(await pushes()).toMatchObject([{ email: ADA, action: 'add', status: 'pending', attempts: 0 }]);
    await unpause();
    await settled();
    expect(globals()).toEqual([ADA]);
  });
  const pausedSeconds = async () => {
    const [row] = await world.database.query<{ seconds: number }>(
      `SELECT coalesce(extract(epoch FROM push_paused_until - now()), 0)::float8 AS seconds FROM provider_lists WHERE id = $1`,
      [list],
    );
    return row!.seconds;
  };

  it('stops at a 403, says which permission is missing, and goes on when the credentials are replaced', async () => {
    sendgrid.faults.push(onChange(failOnce(403)));
    await suppress(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await show()).status === 'stopped';
    });
    expect((await show()).last_error).toBe(
      'The credentials lack the permission asm.suppressions.global.create (403).',
    );
    await suppress('grace@example.com');
    await world.app.get(PushWorker).run();
    expect(changesSent()).toHaveLength(1);
    await as()
      .patch(`/provider-lists/${list}`)
      .send({ credentials: { api_key: 'SG.key' } })
      .expect(200);
    await settled();
    expect(globals().toSorted()).toEqual([ADA, 'grace@example.com']);
  });

  it('retries with more and more time between, fails after 80 attempts, and can be retried', async () => {
    const down: Fault = onChange(failOnce(500));
    await suppress(ADA);
    const fail = async (attempt: number) => {
      const sent = changesSent().length;
      sendgrid.faults.push(down);
      await unpause();
      await soon();
      await until(async () => {
        await world.app.get(PushWorker).run();
        return changesSent().length === sent + 1 && (await pushes())[0].attempts === attempt;
      });
    };
    await fail(1);
    await fail(2);
    await world.database.query('UPDATE provider_list_pushes SET attempts = 78 WHERE account_id = $1', [
      world.acme.id,
    ]);
    await fail(79);
    expect(await pushes()).toMatchObject([{ status: 'pending', attempts: 79 }]);
    await fail(80);
    expect(await pushes()).toMatchObject([
      { status: 'failed', attempts: 80, error: 'The provider failed (500).' },
    ]);
    expect((await show()).pushes).toMatchObject({ pending: 0, failed: 1 });
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ push: 0, cannot: 1 });
    const { body } = await as().post(`/provider-lists/${list}/pushes/retry`).expect(200);
    expect(body).toEqual({ object: 'provider_list_retry', retried: 1 });
    await settled();
    expect(globals()).toEqual([ADA]);
  });

  it('does not count it as a failure of the provider if the database fails while a push is recorded', async () => {
    const record = jest
      .spyOn(world.app.get(OutboxRepository), 'record')
      .mockRejectedValueOnce(new DeadlineExceededError());
    await suppress(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return record.mock.calls.length > 0;
    });
    const sent = changesSent().length;
    expect(record).toHaveBeenCalledTimes(1);
    record.mockRestore();
    expect(await pushes()).toMatchObject([{ status: 'pending', error: null }]);
    expect(
      await world.database.query(
        'SELECT push_failures, push_paused_until FROM provider_lists WHERE id = $1',
        [list],
      ),
    ).toEqual([{ push_failures: 0, push_paused_until: null }]);
    await world.database.query('UPDATE provider_lists SET push_leased_until = NULL WHERE id = $1', [list]);
    await soon();
    await settled();
    expect(globals()).toEqual([ADA]);
    expect(changesSent()).toHaveLength(sent);
  });

  it('sends again what had no response, and marks it as its own', async () => {
    sendgrid.losses = 1;
    await suppress(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return changesSent().length === 1 && (await pushes())[0]?.error !== null;
    });
    expect(globals()).toEqual([ADA]);
    await lift(ADA);
    await unpause();
    await soon();
    await settled();
    expect(globals()).toEqual([]);
  });

  it('does not pull its own entry if the response was lost', async () => {
    sendgrid.losses = 1;
    await suppress(ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return changesSent().length === 1 && (await pushes())[0]?.error !== null;
    });
    await world.database.query(`UPDATE provider_lists SET push_paused_until = 'infinity' WHERE id = $1`, [
      list,
    ]);
    await lift(ADA);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ remove: 1, pull: 0 });
    await unpause();
    await apply(world, world.alice, list, plan.id);
    await soon();
    await settled();
    expect(globals()).toEqual([]);
  });

  it('drops a removal whose address is suppressed here again', async () => {
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE }];
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await world.database.query(`UPDATE provider_lists SET push_paused_until = 'infinity' WHERE id = $1`, [
      list,
    ]);
    await lift(ADA);
    await suppress(ADA);
    await unpause();
    await settled();
    expect(sendgrid.lists.bounces).toHaveLength(1);
    expect(changesSent().filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('refuses pushes of shared lists', async () => {
    const path = `/provider-lists/${list}`;
    await as().patch(path).send({ shared: true }).expect(400);
    const quiet = { push_additions: false, push_removals: false };
    await as()
      .patch(path)
      .send({ ...quiet, shared: true })
      .expect(200);
    await as().patch(path).send({ push_removals: true }).expect(400);
    const removal = await as()
      .post(`${path}/removals`)
      .send({ emails: [ADA], consent: CONSENT })
      .expect(409);
    expect(removal.body).toMatchObject({ code: 'provider_list_shared' });
  });
});
