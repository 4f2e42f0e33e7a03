import { randomUUID } from 'node:crypto';
import { LiftLinesRepository } from '../../src/lifts/lift-lines.repository.js';
import { LiftSweep } from '../../src/lifts/lift-sweep.js';
import { JobSweep } from '../../src/jobs/job-sweep.js';
import { importFile } from '../support/imports.js';
import { applyLift, countLift, linesOf, rested, revertLift, stopLift } from '../support/lifts.js';
import { createKey, createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const LONG_AGO = '2020-01-01';
const MANUAL = { cause: 'manual', created_after: LONG_AGO };
const BOUNCES = { cause: 'bounce', created_after: LONG_AGO };
const CONSENT = { kind: 'our_error', reference: 'case 4711' };
const NO_USER = '550 5.1.1 The email account that you tried to reach does not exist gsmtp';

describe('a lift by query', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(() => service.close());

  const list = () =>
    world.database.query(
      `SELECT id, email, cause, weaker_causes, email_id, created_at, expires_at
      FROM suppressions WHERE account_id = $1 ORDER BY email`,
      [world.acme.id],
    );
  const emails = async () => (await list()).map(({ email }) => email as string);
  const report = (events: object[]) => world.as(world.alice).post('/events').send(events).expect(200);
  const bounce = (email: string, diagnostic = NO_USER, more: object = {}) => ({
    type: 'bounce',
    email,
    diagnostic,
    ...more,
  });
  const count = (query: object) => countLift(world, world.alice, query);

  it('finds, counts, lifts, and puts back what was recorded so', async () => {
    await suppress(world, world.alice, ['manual@gmail.example']);
    await report([
      bounce('ada@gmail.example'),
      bounce('grace@gmail.example', `${NO_USER} abc123-def`),
      bounce('joan@company.example'),
      bounce('gone@yahoo.example', '550 5.1.1 mailbox unavailable'),
      { type: 'complaint', email: 'angry@gmail.example' },
    ]);
    const before = await list();
    const lift = await count({ cause: 'bounce', diagnostic: 'TRIED TO REACH' });
    expect(lift).toMatchObject({
      object: 'lift',
      status: 'ready',
      count: 3,
      by_domain: [
        { domain: 'gmail.example', count: 2 },
        { domain: 'company.example', count: 1 },
      ],
      by_diagnostic: [
        { diagnostic: 'The email account that you tried to reach does not exist gsmtp', count: 3 },
      ],
      failed_again: 0,
      delivered_before: 0,
    });
    expect(lift.examples.map(({ email }) => email)).toEqual([
      'ada@gmail.example',
      'grace@gmail.example',
      'joan@company.example',
    ]);
    expect(await list()).toEqual(before);

    expect(await applyLift(world, world.alice, lift.id)).toMatchObject({
      status: 'applied',
      applied: 3,
      skipped: 0,
    });
    expect(await emails()).toEqual(['angry@gmail.example', 'gone@yahoo.example', 'manual@gmail.example']);

    expect(await revertLift(world, world.alice, lift.id)).toMatchObject({ status: 'reverted', reverted: 3 });
    expect(await list()).toEqual(before);
    const lines = await linesOf(world, world.alice, lift.id);
    expect(lines).toMatchObject([
      { email: 'ada@gmail.example', status: 'reverted', reason: null, diagnostic: NO_USER },
      {},
      {},
    ]);
  });

  describe('finds', () => {
    it('what a source, an API key, or an import recorded, at some domains, between two times', async () => {
      const { body: added } = await world
        .as(world.alice)
        .post('/suppressions')
        .send({ email: 'ada@example.com', note: 'Cleanup 2026 by Bob' })
        .expect(201);
      const other = await createKey(world, undefined, world.acme.name);
      await suppress(world, other, ['bob@example.com', 'eve@sub.example.com', 'kim@exämple.com']);
      const { id: imported } = await importFile(world, world.alice, 'file@example.com\n');
      await report([bounce('gone@example.com')]);
      const { body: history } = await world.as(world.alice).get(`/suppressions/${added.id}/history`);
      const { body: bounceHistory } = await world
        .as(world.alice)
        .get('/suppressions/gone@example.com/history');
      const [alice, source] = [history.data[0].actor.id, bounceHistory.data[0].actor.id];
      const found = async (query: object) => {
        const { id } = await count(query);
        return (await linesOf(world, world.alice, id)).map(({ email }) => email);
      };
      expect(await found({ cause: 'manual', actor: alice })).toEqual(['ada@example.com']);
      expect(await found({ cause: 'manual', actor: imported })).toEqual(['file@example.com']);
      expect(await found({ cause: 'manual', diagnostic: 'cleanup' })).toEqual(['ada@example.com']);
      expect(await found({ cause: 'bounce', source })).toEqual(['gone@example.com']);
      expect(await found({ cause: 'bounce', actor: source })).toEqual(['gone@example.com']);
      expect(await found({ cause: 'manual', source: alice })).toEqual([]);
      expect(await found({ cause: 'manual', domains: ['EXÄMPLE.com', 'sub.example.com'] })).toEqual([
        'eve@sub.example.com',
        'kim@xn--exmple-cua.com',
      ]);
      const { created_at: at } = history.data[0];
      expect(await found({ cause: 'manual', created_before: at })).toEqual([]);
      expect(await found({ cause: 'manual', created_after: at })).not.toContain('ada@example.com');
      expect(await found({ ...MANUAL, created_before: '2999-01-01' })).toHaveLength(5);
    });

    it('neither complaints and unsubscribes, nor what is gone, nor what was recorded later', async () => {
      await report([
        { type: 'complaint', email: 'angry@example.com' },
        { type: 'unsubscribe', email: 'left@example.com' },
      ]);
      await suppress(world, world.alice, ['removed@example.com', 'again@example.com']);
      for (const email of ['removed@example.com', 'again@example.com']) {
        await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
      }
      await suppress(world, world.alice, ['again@example.com']);
      const lift = await count(MANUAL);
      expect(await linesOf(world, world.alice, lift.id)).toMatchObject([{ email: 'again@example.com' }]);
      await suppress(world, world.alice, ['late@example.com']);
      await applyLift(world, world.alice, lift.id);
      expect(await emails()).toEqual(['angry@example.com', 'late@example.com', 'left@example.com']);
    });

    it('no cause that the record had before, and that was only extended', async () => {
      const expiring = { email: 'a@example.com', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
      await world.as(world.alice).post('/suppressions').send(expiring).expect(201);
      const other = await createKey(world, undefined, world.acme.name);
      await suppress(world, other, ['a@example.com', 'b@example.com']);
      const { body } = await world.as(world.alice).get('/suppressions/b@example.com/history');
      const lift = await count({ cause: 'manual', actor: body.data[0].actor.id });
      expect(await linesOf(world, world.alice, lift.id)).toMatchObject([{ email: 'b@example.com' }]);
      expect(await count(MANUAL)).toMatchObject({ count: 2 });
    });

    it('how many have failed again, and how many had received mail in the 30 days before', async () => {
      await report([bounce('a@example.com'), bounce('b@example.com'), bounce('c@example.com')]);
      await report([bounce('a@example.com')]);
      await world.database.query(
        `INSERT INTO delivery_events (account_id, source_id, key, kind, effect, outcome, recipient, reason, occurred_at, received_at)
        SELECT account_id, source_id, recipient || days, 'delivered', 'success', 'nothing', recipient, 'It arrived.',
          now() - days * interval '1 day', now()
        FROM delivery_events, (VALUES (-1), (29), (31)) AS ago (days)
        WHERE account_id = $1
          AND (recipient, days) IN (('a@example.com', 29), ('b@example.com', 29), ('c@example.com', -1), ('c@example.com', 31))
        ON CONFLICT DO NOTHING`,
        [world.acme.id],
      );
      expect(await count(BOUNCES)).toMatchObject({ count: 3, failed_again: 1, delivered_before: 2 });
    });

    it('more than a page of the ledger, between lines of others', async () => {
      const rows = Array.from(
        { length: 1_300 },
        (_, index) => `user${index}@example.com,${index % 2 ? 'bounce' : 'manual'}\n`,
      );
      const { id: imported } = await importFile(world, world.alice, `email,cause\n${rows.join('')}`);
      const lift = await count({ cause: 'bounce', actor: imported });
      expect(lift).toMatchObject({ count: 650, by_domain: [{ domain: 'example.com', count: 650 }] });
      expect(lift.examples).toHaveLength(20);
      const lines = await linesOf(world, world.alice, lift.id);
      expect(new Set(lines.map(({ email }) => email)).size).toBe(650);
    });
  });

  describe('applied', () => {
    it('lifts one cause of several, and its revert puts it back', async () => {
      await report([bounce('a@example.com'), bounce('b@example.com')]);
      await suppress(world, world.alice, ['a@example.com']);
      await report([{ type: 'unsubscribe', email: 'b@example.com' }]);
      const before = await list();
      const lift = await count(BOUNCES);
      expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 2 });
      expect(await list()).toMatchObject([
        { email: 'a@example.com', cause: 'manual', weaker_causes: 0 },
        { email: 'b@example.com', cause: 'unsubscribe', weaker_causes: 0 },
      ]);
      await revertLift(world, world.alice, lift.id);
      expect(await list()).toEqual(before);
    });

    it('skips what has changed or disappeared since the count, as does its revert, and says so', async () => {
      await suppress(world, world.alice, [
        'gone@example.com',
        'more@example.com',
        'again@example.com',
        'same@example.com',
      ]);
      const lift = await count(MANUAL);
      for (const email of ['gone@example.com', 'again@example.com']) {
        await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
      }
      await suppress(world, world.alice, ['again@example.com']);
      await report([{ type: 'complaint', email: 'more@example.com' }]);
      expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 1, skipped: 3 });
      expect(await emails()).toEqual(['again@example.com', 'more@example.com']);
      const { body } = await world.as(world.alice).get(`/lifts/${lift.id}/lines?status=skipped`).expect(200);
      expect(body.data).toMatchObject([
        { email: 'again@example.com', reason: 'changed' },
        { email: 'gone@example.com', reason: 'absent' },
        { email: 'more@example.com', reason: 'changed' },
      ]);
      expect(await revertLift(world, world.alice, lift.id)).toMatchObject({ reverted: 1 });
      expect(await emails()).toEqual(['again@example.com', 'more@example.com', 'same@example.com']);
    });

    it('skips addresses that bounced again since the count, but not for late reports of earlier bounces', async () => {
      await report(['again', 'late', 'quiet'].map((name) => bounce(`${name}@example.com`)));
      const lift = await count(BOUNCES);
      const occurred_at = new Date(Date.now() - 3_600_000).toISOString();
      await report([bounce('again@example.com'), bounce('late@example.com', NO_USER, { occurred_at })]);
      expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 2, skipped: 1 });
      expect(await emails()).toEqual(['again@example.com']);
      const { body } = await world.as(world.alice).get(`/lifts/${lift.id}/lines?status=skipped`).expect(200);
      expect(body.data).toMatchObject([{ email: 'again@example.com', reason: 'failed_again' }]);
      await suppress(world, world.alice, ['again@example.com']);
      const manual = await count(MANUAL);
      await report([bounce('again@example.com')]);
      expect(await applyLift(world, world.alice, manual.id)).toMatchObject({ applied: 1 });
    });

    it('continues where it failed', async () => {
      await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
      const lift = await count(MANUAL);
      await stopLift(world, lift.id);
      const failed = (await world.as(world.alice).get(`/lifts/${lift.id}`).expect(200)).body;
      expect(failed).toMatchObject({ status: 'applied', applied: 0, error: { message: 'It failed.' } });
      expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 2, error: null });
      expect(await emails()).toEqual([]);
    });

    it('names the lift in the history, in the feed, and in the audit log', async () => {
      await report([
        bounce('a@example.com', '550 5.1.1 no such user', { occurred_at: '2026-01-15T09:30:00Z' }),
      ]);
      const lift = await count(BOUNCES);
      await applyLift(world, world.alice, lift.id);
      await revertLift(world, world.alice, lift.id);
      const { body: history } = await world
        .as(world.alice)
        .get('/suppressions/a@example.com/history')
        .expect(200);
      const [restored, removed, added] = history.data;
      expect(removed).toMatchObject({
        action: 'removed',
        lift_id: lift.id,
        evidence: { lift: lift.id },
        actor: { type: 'api_key', name: 'alice' },
      });
      expect(restored).toMatchObject({
        action: 'added',
        lift_id: lift.id,
        evidence: { reverted_lift: lift.id },
        suppression_id: added.suppression_id,
        occurred_at: '2026-01-15T09:30:00.000Z',
        event_id: added.event_id,
        note: added.note,
      });
      expect(added).toMatchObject({ lift_id: null });
      const { body: feed } = await world.as(world.alice).get('/changes').expect(200);
      expect(feed.data.map(({ lift_id }: { lift_id: string | null }) => lift_id)).toEqual([
        null,
        lift.id,
        lift.id,
      ]);
      const { body: log } = await world.as(world.alice).get('/audit-log?limit=3').expect(200);
      expect(log.data).toMatchObject([
        { action: 'lift.reverted', subject: { id: lift.id } },
        { action: 'lift.applied', changes: { count: { to: 1 } } },
        { action: 'lift.created', changes: { cause: { to: 'bounce' } } },
      ]);
    });

    it('is not suppressed again by a late report of the same outage, and answers as of the past', async () => {
      const occurredAt = new Date(Date.now() - 60_000).toISOString();
      await report([bounce('a@example.com', NO_USER, { occurred_at: occurredAt })]);
      const { body: feed } = await world.as(world.alice).get('/changes').expect(200);
      const lift = await count(BOUNCES);
      await applyLift(world, world.alice, lift.id);
      await report([bounce('a@example.com', `${NO_USER} again`, { occurred_at: occurredAt })]);
      expect(await emails()).toEqual([]);
      const check = async (as_of?: string) =>
        (
          await world
            .as(world.alice)
            .post('/suppressions/check')
            .send({ emails: ['a@example.com'], as_of })
        ).body.data[0];
      expect(await check(feed.cursor)).toMatchObject({ verdict: 'suppressed' });
      expect(await check()).toMatchObject({ verdict: 'send' });
    });

    it('leaves the next bounce with the expiry that it would have had', async () => {
      const asAlice = world.as(world.alice);
      await asAlice
        .patch('/account')
        .send({ bounce_expiry: ['7d', '30d'] })
        .expect(200);
      const daysOf = async () => {
        await report([bounce('a@example.com')]);
        const [record] = await list();
        return Math.round((record!.expires_at - Date.now()) / 86_400_000);
      };
      expect(await daysOf()).toBe(7);
      const lift = await count(BOUNCES);
      await applyLift(world, world.alice, lift.id);
      expect(await daysOf()).toBe(7);
      await asAlice.delete('/suppressions/a@example.com').expect(200);
      expect(await daysOf()).toBe(30);
    });

    it('asks for the number above 1,000 and 5 % of the list', async () => {
      const rows = Array.from({ length: 1_001 }, (_, index) => `user${index}@example.com\n`).join('');
      const { id: imported } = await importFile(world, world.alice, rows);
      const lift = await count({ cause: 'manual', actor: imported });
      const asAlice = world.as(world.alice);
      for (const body of [{}, { confirm: 1_000 }, { confirm: null }]) {
        const { body: error } = await asAlice.post(`/lifts/${lift.id}/apply`).send(body).expect(409);
        expect(error).toMatchObject({ code: 'confirmation_required' });
      }
      await asAlice.post(`/lifts/${lift.id}/apply`).send({ confirm: 'all' }).expect(400);
      const rest = Array.from({ length: 19_018 }, (_, index) => `rest${index}@example.com,bounce\n`).join('');
      await importFile(world, world.alice, `email,cause\n${rest}`);
      await asAlice.post(`/lifts/${lift.id}/apply`).expect(409);
      await suppress(world, world.alice, ['last@example.com']);
      await asAlice.post(`/lifts/${lift.id}/apply`).send({ confirm: 7 }).expect(409);
      expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 1_001 });
    });

    it('asks for a consent if the account guards removals', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const asAlice = world.as(world.alice);
      await asAlice.patch('/account').send({ removal: 'guarded' }).expect(200);
      const lift = await count(MANUAL);
      const { body } = await asAlice.post(`/lifts/${lift.id}/apply`).expect(403);
      expect(body).toMatchObject({ code: 'consent_required' });
      expect(await emails()).toEqual(['a@example.com']);
      await applyLift(world, world.alice, lift.id, { consent: CONSENT });
      const { body: history } = await asAlice.get('/suppressions/a@example.com/history').expect(200);
      expect(history.data[0].evidence).toEqual({ lift: lift.id, consent: CONSENT });
    });

    it('twice is returned as it is, and so is one reverted twice', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const asAlice = world.as(world.alice);
      const lift = await count(MANUAL);
      await asAlice.post(`/lifts/${lift.id}/revert`).expect(409);
      const applied = await applyLift(world, world.alice, lift.id);
      await suppress(world, world.alice, ['a@example.com']);
      expect((await asAlice.post(`/lifts/${lift.id}/apply`).expect(202)).body).toEqual(applied);
      const reverted = await revertLift(world, world.alice, lift.id);
      expect((await asAlice.post(`/lifts/${lift.id}/revert`).expect(202)).body).toEqual(reverted);
      expect((await asAlice.post(`/lifts/${lift.id}/apply`).expect(202)).body).toEqual(reverted);
    });

    it('at once by several callers does each line once', async () => {
      await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
      const lift = await count(MANUAL);
      await Promise.all(
        Array.from({ length: 5 }, () => world.as(world.alice).post(`/lifts/${lift.id}/apply`).expect(202)),
      );
      expect(await rested(world, world.alice, lift.id)).toMatchObject({ status: 'applied', applied: 2 });
      const lines = await world.database.query(
        `SELECT FROM suppression_changes WHERE account_id = $1 AND evidence ->> 'lift' = $2`,
        [world.acme.id, lift.id],
      );
      expect(lines).toHaveLength(2);
    });

    it('waits for a writer of the same address, and then skips what that changed', async () => {
      await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
      const lift = await count(MANUAL);
      const lock = await world.database.lockRow(
        'suppressions',
        `account_id = ${world.acme.id} AND email = 'a@example.com'`,
      );
      const removing = world
        .as(world.alice)
        .delete('/suppressions/a@example.com')
        .expect(200)
        .then(() => undefined);
      await world.database.untilWaiting();
      await world.as(world.alice).post(`/lifts/${lift.id}/apply`).expect(202);
      await world.database.untilWaiting(2);
      await lock.release();
      await removing;
      expect(await rested(world, world.alice, lift.id)).toMatchObject({ applied: 1, skipped: 1 });
      expect(await emails()).toEqual([]);
    });
  });

  describe('reverted', () => {
    it('leaves what is listed again, what somebody removed later, and what would have expired', async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const asAlice = world.as(world.alice);
      const added = ['again', 'removed', 'same', 'ended', 'over'].map((name) => `${name}@example.com`);
      await suppress(world, world.alice, added);
      await report([bounce('ended@example.com')]);
      for (const email of ['expired@example.com', 'bounced@example.com']) {
        await asAlice.post('/suppressions').send({ email, expires_at: expiresAt }).expect(201);
      }
      const [before] = (await list()).filter(({ email }) => email === 'same@example.com');
      const lift = await count(MANUAL);
      await applyLift(world, world.alice, lift.id);
      await suppress(world, world.alice, ['again@example.com', 'removed@example.com', 'over@example.com']);
      await asAlice.delete('/suppressions/removed@example.com').expect(200);
      await asAlice.delete('/suppressions/ended@example.com').expect(200);
      await report([bounce('bounced@example.com')]);
      await world.database.query(
        `ALTER TABLE suppression_changes DISABLE TRIGGER USER;
        UPDATE suppression_changes SET expires_at = now() WHERE account_id = ${world.acme.id} AND email = 'expired@example.com';
        ALTER TABLE suppression_changes ENABLE TRIGGER USER;
        UPDATE suppressions SET expires_at = now() WHERE account_id = ${world.acme.id} AND email = 'over@example.com';`,
      );
      expect(await revertLift(world, world.alice, lift.id)).toMatchObject({ applied: 7, reverted: 3 });
      expect(await list()).toMatchObject([
        { email: 'again@example.com', cause: 'manual' },
        { email: 'bounced@example.com', cause: 'manual', weaker_causes: 1, expires_at: null },
        { email: 'over@example.com', cause: 'manual', expires_at: null },
        before!,
      ]);
      const lines = await linesOf(world, world.alice, lift.id);
      const reasons = Object.fromEntries(lines.map(({ email, status, reason }) => [email, reason ?? status]));
      expect(reasons).toEqual({
        'again@example.com': 'listed',
        'removed@example.com': 'removed',
        'ended@example.com': 'removed',
        'expired@example.com': 'expired',
        'bounced@example.com': 'reverted',
        'over@example.com': 'reverted',
        'same@example.com': 'reverted',
      });
    });

    it('keeps the expiry', async () => {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      await world
        .as(world.alice)
        .post('/suppressions')
        .send({ email: 'a@example.com', expires_at })
        .expect(201);
      const before = await list();
      const lift = await count(MANUAL);
      await applyLift(world, world.alice, lift.id);
      await revertLift(world, world.alice, lift.id);
      expect(await list()).toEqual(before);
      const { body: feed } = await world.as(world.alice).get('/changes').expect(200);
      expect(feed.data.at(-1)).toMatchObject({ type: 'suppression.added', expires_at, causes: ['manual'] });
    });

    it('keeps the expiry that a manual entry has had since a bounce', async () => {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const manual = { email: 'a@example.com', expires_at };
      await world
        .as(world.alice)
        .patch('/account')
        .send({ bounce_expiry: ['10d'] })
        .expect(200);
      await world.as(world.alice).post('/suppressions').send(manual).expect(201);
      await report([bounce('a@example.com')]);
      const [before] = await list();
      await applyLift(world, world.alice, (await count(BOUNCES)).id);
      const { id } = await count(MANUAL);
      await applyLift(world, world.alice, id);
      expect(await list()).toEqual([]);
      await revertLift(world, world.alice, id);
      expect(await list()).toEqual([expect.objectContaining({ expires_at: before!.expires_at })]);
    });

    it('is found again by how it was recorded first', async () => {
      await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
      const { body } = await world.as(world.alice).get('/suppressions/a@example.com/history');
      const { actor } = body.data[0];
      const query = { cause: 'manual', actor: actor.id };
      const other = await createKey(world, undefined, world.acme.name);
      for (let round = 0; round < 2; round++) {
        const { id, count: found } = await countLift(world, world.alice, query);
        expect(found).toBe(2);
        await applyLift(world, other, id);
        await revertLift(world, other, id);
      }
      const { body: later } = await world.as(world.alice).get('/suppressions/a@example.com/history');
      const byReverter = await count({ cause: 'manual', actor: later.data[0].actor.id });
      expect(await applyLift(world, world.alice, byReverter.id)).toMatchObject({ applied: 2 });
      await revertLift(world, world.alice, byReverter.id);
      expect(await count(query)).toMatchObject({ count: 2 });
      await world.as(world.alice).delete('/suppressions/a@example.com').expect(200);
      await suppress(world, other, ['a@example.com']);
      expect(await linesOf(world, world.alice, (await count(query)).id)).not.toContainEqual(
        expect.objectContaining({ email: 'a@example.com' }),
      );
      expect(await count(MANUAL)).toMatchObject({ count: 2 });
    });

    it('is no further bounce of its address', async () => {
      const settings = { bounce_expiry: ['1d', '10d', '100d', null] };
      await world.as(world.alice).patch('/account').send(settings).expect(200);
      await report([bounce('a@example.com')]);
      const { id } = await count(BOUNCES);
      await applyLift(world, world.alice, id);
      await revertLift(world, world.alice, id);
      await world.as(world.alice).delete('/suppressions/a@example.com').expect(200);
      await report([bounce('a@example.com')]);
      const [{ expires_at }] = (await list()) as [{ expires_at: Date }];
      expect(Math.round((expires_at.getTime() - Date.now()) / 86_400_000)).toBe(10);
    });

    it('can be lifted again by another lift', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const first = await count(MANUAL);
      await applyLift(world, world.alice, first.id);
      await revertLift(world, world.alice, first.id);
      const second = await count(MANUAL);
      expect(await applyLift(world, world.alice, second.id)).toMatchObject({ count: 1, applied: 1 });
      expect(await revertLift(world, world.alice, first.id)).toMatchObject({ status: 'reverted' });
      expect(await emails()).toEqual([]);
      await revertLift(world, world.alice, second.id);
      expect(await emails()).toEqual(['a@example.com']);
    });

    it('leaves what a later lift has lifted again', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const first = await count(MANUAL);
      await applyLift(world, world.alice, first.id);
      await suppress(world, world.alice, ['a@example.com']);
      const second = await count(MANUAL);
      expect(await applyLift(world, world.alice, second.id)).toMatchObject({ applied: 1 });
      expect(await revertLift(world, world.alice, first.id)).toMatchObject({ reverted: 0 });
      expect(await emails()).toEqual([]);
      expect(await revertLift(world, world.alice, second.id)).toMatchObject({ reverted: 1 });
      expect(await emails()).toEqual(['a@example.com']);
    });
  });

  describe('reverted after another lift has removed the record', () => {
    it.each([
      ['first', [0, 1]],
      ['last', [1, 0]],
    ])('restores its cause, reverted %s', async (_when, order) => {
      await report([bounce('a@example.com')]);
      await suppress(world, world.alice, ['a@example.com']);
      const before = await list();
      const lifts: string[] = [];
      for (const query of [BOUNCES, MANUAL]) {
        const { id } = await count(query);
        expect(await applyLift(world, world.alice, id)).toMatchObject({ applied: 1 });
        lifts.push(id);
      }
      expect(await list()).toEqual([]);
      for (const index of order) {
        expect(await revertLift(world, world.alice, lifts[index]!)).toMatchObject({ reverted: 1 });
      }
      expect(await list()).toEqual(before);
    });
  });

  describe('is refused', () => {
    it('without a condition, or with one that is not clear', async () => {
      const asAlice = world.as(world.alice);
      const { body } = await asAlice.post('/lifts').send({ cause: 'bounce' }).expect(400);
      expect(body.message).toContain('at least one condition');
      for (const [field, value] of Object.entries({
        cause: 'complaint',
        domains: [],
        source: 'mine',
        actor: 'me',
        diagnostic: 'ada@example.com',
        created_after: 'yesterday',
        domain: 'example.com',
      })) {
        const { body: error } = await asAlice
          .post('/lifts')
          .send({ ...MANUAL, [field]: value })
          .expect(400);
        expect(error.errors[0].path).toBe(field);
      }
      expect((await asAlice.get('/lifts').expect(200)).body.data).toEqual([]);
    });

    it('without the scope suppressions:lift, or from another account', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const lift = await count(MANUAL);
      const writer = await createKey(world, ['suppressions:write'], world.acme.name);
      const lifter = await createKey(world, ['suppressions:lift'], world.acme.name);
      for (const path of ['/lifts', `/lifts/${lift.id}/apply`, `/lifts/${lift.id}/revert`]) {
        await world
          .as(writer)
          .post(path)
          .send(path === '/lifts' ? MANUAL : {})
          .expect(401);
      }
      await world.as(writer).get(`/lifts/${lift.id}/lines`).expect(200);
      await world.as(lifter).get(`/lifts/${lift.id}`).expect(401);
      const asCharlie = world.as(world.charlie);
      for (const id of [lift.id, randomUUID(), 'no-id']) {
        await asCharlie.get(`/lifts/${id}`).expect(404);
        await asCharlie.get(`/lifts/${id}/lines`).expect(404);
        await asCharlie.post(`/lifts/${id}/apply`).expect(404);
        const { body } = await asCharlie.post(`/lifts/${id}/revert`).expect(404);
        expect(body).toMatchObject({ code: 'lift_not_found' });
      }
      expect((await asCharlie.get('/lifts').expect(200)).body.data).toEqual([]);
      expect((await world.as(world.alice).get('/lifts').expect(200)).body.data).toMatchObject([
        { id: lift.id, count: 1 },
      ]);
      expect(await emails()).toEqual(['a@example.com']);
    });

    const holdCounts = () =>
      world.database.query(
        `INSERT INTO jobs (account_id, id, kind, status, checkpoint, lease_id, leased_until)
        VALUES ($1, gen_random_uuid(), 'import', 'running', '{}', gen_random_uuid(), 'tomorrow')`,
        [world.acme.id],
      );
    const releaseCounts = () =>
      world.database.query(`UPDATE jobs SET status = 'completed' WHERE account_id = $1 AND kind = 'import'`, [
        world.acme.id,
      ]);

    it('if its count ends during the request', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const asAlice = world.as(world.alice);
      await holdCounts();
      const { body: lift } = await asAlice.post('/lifts').send(MANUAL).expect(202);
      jest.spyOn(world.app.get(LiftLinesRepository), 'examples').mockImplementationOnce(async () => {
        await releaseCounts();
        await rested(world, world.alice, lift.id);
        return [];
      });
      const { body } = await asAlice.post(`/lifts/${lift.id}/apply`).expect(409);
      expect(body).toMatchObject({ code: 'lift_status' });
      expect(await emails()).toEqual(['a@example.com']);
    });

    it('while it is counted, and 24 hours later', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const asAlice = world.as(world.alice);
      await holdCounts();
      const { body: waiting } = await asAlice.post('/lifts').send(MANUAL).expect(202);
      expect(waiting).toMatchObject({ status: 'counting', count: 0, examples: [] });
      const { body: early } = await asAlice.post(`/lifts/${waiting.id}/apply`).expect(409);
      expect(early).toMatchObject({ code: 'lift_status' });
      await releaseCounts();
      await rested(world, world.alice, waiting.id);
      await world.database.query(
        `UPDATE lifts SET counted_at = counted_at - interval '24 hours', lines_until = lines_until - interval '24 hours' WHERE id = $1`,
        [waiting.id],
      );
      const { body: late } = await asAlice.post(`/lifts/${waiting.id}/apply`).expect(409);
      expect(late.message).toContain('expired');
      expect((await asAlice.get(`/lifts/${waiting.id}`).expect(200)).body).toMatchObject({
        status: 'expired',
        count: 1,
      });
      expect(await emails()).toEqual(['a@example.com']);
    });

    it('when 20 others have not ended; of the plans, the oldest expire', async () => {
      await suppress(world, world.alice, ['a@example.com']);
      const first = await count(MANUAL);
      await world.database.query(
        `WITH copy AS (
          INSERT INTO jobs (account_id, id, kind, status, checkpoint)
          SELECT account_id, uuid_v7(), kind, status, checkpoint FROM jobs, generate_series(1, 19) WHERE id = $1
          RETURNING account_id, id
        )
        INSERT INTO lifts (account_id, id, cause, status, query, created_by, counted_at, lines_until)
        SELECT copy.account_id, copy.id, cause, status, query, created_by, counted_at, lines_until
        FROM copy, lifts WHERE lifts.id = $1`,
        [first.id],
      );
      await count(MANUAL);
      const asAlice = world.as(world.alice);
      expect((await asAlice.get(`/lifts/${first.id}`).expect(200)).body).toMatchObject({ status: 'expired' });
      const { body } = await asAlice.get('/lifts?limit=100').expect(200);
      expect(body.data.filter(({ status }: { status: string }) => status === 'ready')).toHaveLength(20);
      await world.database.query(
        `UPDATE jobs SET status = 'queued', leased_until = 'tomorrow' WHERE account_id = $1 AND kind = 'lift' AND id <> $2`,
        [world.acme.id, first.id],
      );
      expect((await asAlice.post('/lifts').send(MANUAL).expect(409)).body).toMatchObject({
        code: 'too_many_lifts',
      });
    });
  });

  it('is not reverted once its lines may be deleted', async () => {
    await suppress(world, world.alice, ['a@example.com']);
    const { id } = await count(MANUAL);
    await applyLift(world, world.alice, id);
    await world.database.query('UPDATE lifts SET lines_until = now() WHERE id = $1', [id]);
    await world.app.get(LiftSweep).run();
    expect(await linesOf(world, world.alice, id)).toHaveLength(1);
    const asAlice = world.as(world.alice);
    expect((await asAlice.post(`/lifts/${id}/revert`).expect(409)).body.message).toContain('30 days');
    expect((await asAlice.get(`/lifts/${id}`).expect(200)).body).toMatchObject({
      status: 'applied',
      revertible_until: null,
    });
  });

  it('deletes its lines when its plan has expired, and 30 days after it was applied', async () => {
    await suppress(world, world.alice, ['a@example.com', 'b@example.com']);
    const plan = await count(MANUAL);
    const lift = await count(MANUAL);
    await applyLift(world, world.alice, lift.id);
    await world.app.get(LiftSweep).run();
    expect(await linesOf(world, world.alice, plan.id)).toHaveLength(2);
    await world.database.query(
      `UPDATE lifts SET lines_until = lines_until - interval '31 days' WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.app.get(LiftSweep).run();
    for (const { id } of [plan, lift]) {
      expect(await linesOf(world, world.alice, id)).toEqual([]);
      expect(await world.database.query('SELECT FROM lift_totals WHERE lift_id = $1', [id])).toEqual([]);
    }
    const asAlice = world.as(world.alice);
    expect((await asAlice.get(`/lifts/${plan.id}`).expect(200)).body).toMatchObject({
      status: 'expired',
      count: 2,
      examples: [],
    });
    expect((await asAlice.post(`/lifts/${lift.id}/revert`).expect(409)).body.message).toContain('30 days');
    await world.database.query(
      `UPDATE jobs SET completed_at = completed_at - interval '91 days' WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.app.get(JobSweep).run();
    await asAlice.get(`/lifts/${lift.id}`).expect(404);
  });

  it('deletes the lines of a lift although those of an earlier one cannot be deleted', async () => {
    await suppress(world, world.alice, ['a@example.com']);
    const [broken, next] = [await count(MANUAL), await count(MANUAL)];
    await world.database.query(
      `UPDATE lifts SET lines_until = lines_until - interval '30 days' WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.database.query(
      `ALTER TABLE lifts ADD CONSTRAINT broken CHECK (id <> '${broken.id}' OR lines_until IS NOT NULL)`,
    );
    await world.app.get(LiftSweep).run();
    const statuses = await world.database.query(
      'SELECT id, status FROM lifts WHERE account_id = $1 ORDER BY id',
      [world.acme.id],
    );
    expect(statuses).toEqual([
      { id: broken.id, status: 'ready' },
      { id: next.id, status: 'expired' },
    ]);
    await world.database.query('ALTER TABLE lifts DROP CONSTRAINT broken');
    await world.app.get(LiftSweep).run();
    const left = await world.database.query(
      'SELECT FROM lifts WHERE account_id = $1 AND lines_until IS NOT NULL',
      [world.acme.id],
    );
    expect(left).toEqual([]);
  });
});
