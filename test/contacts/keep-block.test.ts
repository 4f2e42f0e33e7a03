import request from 'supertest';
import { runClient } from '../../src/cli/client/run.js';
import type { Erasure } from '../../src/contacts/erasure/erasure.entity.js';
import { ErasureSteps, type StepOutcome } from '../../src/contacts/erasure/erasure-steps.js';
import { ErasureSweep } from '../../src/contacts/erasure/erasure-sweep.js';
import { ErasuresRepository } from '../../src/contacts/erasure/erasures.repository.js';
import { REWRITES_WITH_BLOCK } from '../../src/contacts/erasure/rewrites.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { CheckService } from '../../src/suppressions/checks/check.service.js';
import { contactIdOf } from '../../src/topics/contact.js';
import {
  ADA,
  count,
  DELETING,
  dump,
  endWork,
  failAt,
  fakeImport,
  KEYED_BY_QUOTATIONS,
  letInstancesLearn,
  tablesOf,
  TRACES,
  tracesIn,
  untilAnnounced,
  untilErased,
} from '../support/erasures.js';
import { skipTime, stopClock } from '../support/clock.js';
import { runCommand } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { importFile } from '../support/imports.js';
import { fillPlaces, OTHER } from '../support/places.js';
import { applyLift, countLift, linesOf, revertLift } from '../support/lifts.js';
import { startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const KEPT = { keep_block: true, reference: 'Case 4711' };
const COMPLETE = { ...KEPT, keep_block: false, accept_may_be_mailed_again: true };
const PATH = encodeURIComponent(ADA);
const PSEUDONYM = /^erased-[a-z2-7]{26}@erased\.invalid$/;

let service: World;
let world: World;
beforeAll(async () => (service = await createWorld({ PUBLIC_URL: 'http://127.0.0.1:1' })));
beforeEach(async () => (world = await withNewAccounts(service)));
afterAll(() => service.close());

const alice = () => world.as(world.alice);
const erase = (body: object = KEPT, contact = PATH) => alice().post(`/contacts/${contact}/erase`).send(body);
const eraseFully = (body: object = KEPT) => untilErased(world, async () => erase(body));
const check = async (body: object = {}, email = ADA) =>
  (
    await alice()
      .post('/suppressions/check?explain=true')
      .send({ emails: [email], ...body })
      .expect(200)
  ).body.data[0];
const verdict = async (body: object = {}): Promise<string> => (await check(body)).verdict;
const report = (type: string) =>
  alice()
    .post('/events')
    .send({ type, email: ADA, status: '5.1.1', diagnostic: `550 <${ADA.toUpperCase()}> unknown` })
    .expect(200);
/** The people of the console, and the audit log, are not touched. */
const tables = async (): Promise<string[]> => tracesIn(await dump(world));

describe('POST /contacts/:contact/erase with keep_block', () => {
  it('needs no second connection while it has one', async () => {
    const small = await startTestApp(world.database.url, { DATABASE_POOL_SIZE: '2' });
    const { status } = await request(small.url)
      .post(`/contacts/${PATH}/erase`)
      .set('Authorization', `Bearer ${world.alice}`)
      .send(KEPT);
    await small.close();
    expect(status).toBe(202);
  });

  it('leaves nothing but the pseudonym in every table, and changes nothing else', async () => {
    await fillPlaces(world, ADA, contactIdOf(world.acme.id, ADA as EmailAddress));
    await endWork(world);
    const before = await dump(world);
    expect(await verdict()).toBe('suppressed');
    const body = await eraseFully();
    expect(body).toMatchObject({ keep_block: true, pseudonym: expect.stringMatching(PSEUDONYM) });
    expect(await verdict()).toBe('suppressed');
    const after = await dump(world);
    expect(tracesIn(after).map((trace) => trace.split(':')[0])).toEqual(['people', 'audit_entries']);
    for (const [table, text] of before) {
      const deletes = KEYED_BY_QUOTATIONS.includes(table);
      expect([table, deletes || count(after.get(table)!, OTHER)]).toEqual([
        table,
        deletes || count(text, OTHER),
      ]);
    }
    for (const table of [
      'suppressions',
      'withdrawals',
      'topic_preferences',
      'contacts',
      'rules',
      'lift_lines',
    ]) {
      expect([table, after.get(table)!.includes(body.pseudonym)]).toEqual([table, true]);
    }
  });

  it('keeps causes, choices, rules, and history, and announces the record', async () => {
    await report('bounce');
    await suppress(world, world.alice, [ADA]);
    await report('complaint');
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await alice().post('/topics').send(topic).expect(201);
    await alice()
      .patch(`/contacts/${PATH}/topics`)
      .send([{ id: 'news', subscription: 'opt_out' }])
      .expect(200);
    await alice()
      .post('/rules')
      .send({ pattern: ADA, effect: 'block', note: `As ${ADA} asked` })
      .expect(201);
    await alice().post('/rules').send({ pattern: 'xn--bcher-kva.example', effect: 'allow' }).expect(201);
    const answers = async () => {
      const [record, causes, history, events, topics, rule, contact] = await Promise.all([
        alice().get(`/suppressions/${PATH}`).expect(200),
        alice().get(`/suppressions/${PATH}?include=causes`).expect(200),
        alice().get(`/suppressions/${PATH}/history`).expect(200),
        alice().get('/events').query({ email: ADA }).expect(200),
        alice().get(`/contacts/${PATH}/topics`).expect(200),
        alice().get(`/rules/${PATH}`).expect(200),
        alice().get(`/contacts/${PATH}`).expect(200),
      ]);
      const facts = ({ id, action, outcome, created_at }: Record<string, unknown>) => ({
        id,
        action,
        outcome,
        created_at,
      });
      return {
        checks: [await check(), await check({ transactional: true }), await check({ topic: 'news' })],
        record: record.body,
        causes: causes.body.causes.map((cause: object) => ({ ...cause, note: null })),
        history: history.body.data
          .filter(({ evidence }: { evidence: { erasure?: string } | null }) => !evidence?.erasure)
          .map(facts),
        events: events.body.data.map(facts),
        topics: topics.body,
        rule: { ...rule.body, note: null },
        contact: { ...contact.body, id: null },
      };
    };
    const before = await answers();
    expect(before.checks.map(({ verdict: found }) => found)).toEqual(Array(3).fill('suppressed'));
    const { pseudonym } = await eraseFully();
    expect(await answers()).toEqual(before);
    expect(await tables()).toEqual([]);
    const { body } = await alice().get('/changes?limit=100').expect(200);
    const erased = body.data.filter(({ type }: { type: string }) => type === 'contact.erased');
    expect(erased).toEqual([
      expect.objectContaining({
        email: pseudonym,
        erased: { suppression_id: before.record.id },
        suppression: expect.objectContaining({ id: before.record.id, email: pseudonym }),
        causes: ['complaint', 'manual', 'bounce'],
      }),
      expect.objectContaining({ erased: { suppression_id: null } }),
    ]);
    const { body: list } = await alice().get('/suppressions').expect(200);
    expect(list.data).toMatchObject([{ email: pseudonym }]);
  });

  it('recognizes the address in whatever follows, and stores it nowhere', async () => {
    await report('bounce');
    await eraseFully();
    await report('complaint');
    await suppress(world, world.alice, [ADA]);
    const { body: causes } = await alice().get(`/suppressions/${PATH}?include=causes`).expect(200);
    expect(causes.causes.map(({ cause }: { cause: string }) => cause)).toEqual([
      'complaint',
      'manual',
      'bounce',
    ]);
    const removed = await alice()
      .delete(`/suppressions/${PATH}`)
      .send({ note: `${ADA} asked` })
      .expect(200);
    expect(removed.body.email ?? ADA).toBe(ADA);
    expect(await verdict()).toBe('send');
    await alice()
      .post('/suppressions')
      .send({ email: ADA, note: `${ADA} again` })
      .expect(201);
    const imported = await importFile(
      world,
      world.alice,
      `email,cause\n${ADA},unsubscribe\n${OTHER},bounce\n`,
    );
    expect(imported).toMatchObject({ added: 1, strengthened: 1 });
    await alice()
      .post('/suppressions/batch/remove')
      .send({ emails: [ADA, OTHER] })
      .expect(200);
    expect(await verdict()).toBe('send');
    const rule = { pattern: ADA, effect: 'block', note: `For ${ADA}` };
    await alice().post('/rules').send(rule).expect(201);
    expect(await verdict()).toBe('suppressed');
    await alice().delete(`/rules/${PATH}`).expect(200);
    await alice().post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    await alice()
      .post('/contacts')
      .send({ email: ADA, topics: [{ id: 'news', subscription: 'opt_out' }] })
      .expect(201);
    expect(await verdict({ topic: 'news' })).toBe('suppressed');
    await alice().patch(`/contacts/${PATH}`).send({ unsubscribed: true }).expect(200);
    expect(await verdict()).toBe('suppressed');
    await alice().patch(`/contacts/${PATH}`).send({ unsubscribed: false }).expect(200);
    const { body: links } = await alice()
      .post('/unsubscribe-links')
      .send({ emails: [ADA] })
      .expect(200);
    const path = new URL(links.data[0].url).pathname;
    await world.anyone.get(path).expect(200);
    await world.anyone.post(path).type('form').send({ 'List-Unsubscribe': 'One-Click' }).expect(200);
    expect(await verdict()).toBe('suppressed');
    const { body: history } = await alice().get(`/suppressions/${PATH}/history?limit=100`).expect(200);
    expect(history.data.length).toBeGreaterThan(8);
    expect(JSON.stringify(history)).not.toMatch(TRACES);
    const { text } = await alice().get(`/contacts/${PATH}/data`).expect(200);
    expect(JSON.parse(text).tables[0].data).toHaveLength(1);
    expect(await tables()).toEqual([]);
  });

  it('stores the address neither with an invalid row of an import nor in the reference of a consent', async () => {
    await report('complaint');
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await alice().post('/topics').send(topic).expect(201);
    await eraseFully();
    const imported = await importFile(
      world,
      world.alice,
      `email,cause,created_at\n${ADA.toUpperCase()},bounce,sometime\n${OTHER},bounce,2020-01-01\n`,
    );
    expect(imported).toMatchObject({ added: 1, invalid: 1 });
    const consent = { kind: 'recipient_request', reference: `The mail of ${ADA}` };
    await alice().delete(`/suppressions/${PATH}`).send({ consent }).expect(200);
    for (const subscription of ['opt_out', 'opt_in']) {
      const topics = [{ id: 'news', subscription }];
      await alice().patch(`/contacts/${PATH}/topics`).send({ topics, consent }).expect(200);
    }
    expect(await tables()).toEqual([]);
    const { text } = await alice().get(`/contacts/${PATH}/data`).expect(200);
    expect(text).toContain('The mail of');
  });

  it('shows what is stored while the pseudonym replaces the address, and stores nothing meanwhile', async () => {
    await suppress(world, world.alice, [ADA]);
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await alice().post('/topics').send(topic).expect(201);
    await alice()
      .patch(`/contacts/${PATH}/topics`)
      .send([{ id: 'news', subscription: 'opt_out' }])
      .expect(200);
    const { body: links } = await alice()
      .post('/unsubscribe-links')
      .send({ emails: [ADA] })
      .expect(200);
    const page = new URL(links.data[0].url).pathname;
    const shown = async () => {
      const { any, topics } = await world.app.get(CheckService).explain(world.acme.id, ADA as EmailAddress);
      const { body } = await alice().get(`/contacts/${PATH}/topics`).expect(200);
      await alice().get(`/contacts/${PATH}`).expect(200);
      await world.anyone.get(page).expect(200);
      return [any.length, topics[0]!.matches.length, body.data[0].subscription];
    };
    const expected = [1, 2, 'opt_out'];
    await world.database.query('DELETE FROM contacts WHERE account_id = $1', [world.acme.id]);
    expect((await erase()).status).toBe(202);
    expect(await shown()).toEqual(expected);
    expect((await dump(world)).get('contacts')).toBe('');
    await eraseFully();
    // As if the rename committed between the look at the block and the statement.
    await world.database.query('UPDATE kept_blocks SET renamed_at = NULL WHERE account_id = $1', [
      world.acme.id,
    ]);
    expect(await shown()).toEqual(expected);
  });

  it('applies the rules for the domain of the address to its events and checks', async () => {
    await suppress(world, world.alice, [ADA]);
    await eraseFully();
    await alice().delete(`/suppressions/${PATH}`).expect(200);
    await alice().post('/rules').send({ pattern: 'xn--bcher-kva.example', effect: 'allow' }).expect(201);
    const { body } = await report('bounce');
    expect(body.data[0].outcome).toBe('ignored');
    expect((await check()).verdict).toBe('send');
  });

  it('keeps the verdict while instances learn of it, and refuses changes until then', async () => {
    await suppress(world, world.alice, [ADA]);
    await untilAnnounced(world, () => erase());
    expect(await verdict()).toBe('suppressed');
    await alice().get(`/suppressions/${PATH}`).expect(200);
    const refused = await alice().post('/suppressions').send({ email: ADA }).expect(503);
    expect(refused.body.code).toBe('address_being_erased');
    await suppress(world, world.alice, [OTHER]);
    expect((await dump(world)).get('suppressions')).toMatch(TRACES);
    await eraseFully();
    await suppress(world, world.alice, [ADA]);
    expect(await tables()).toEqual([]);
  });

  it('has its pseudonym in lists and files, and leaves it out of files of hashes, which say how many', async () => {
    await suppress(world, world.alice, [ADA, OTHER]);
    const { pseudonym } = await eraseFully();
    const file = (query: object) => alice().get('/exports').query(query).expect(200);
    const csv = await file({ format: 'csv' });
    expect(csv.text).toContain(`,${pseudonym},`);
    expect(csv.headers['erased-count']).toBe('0');
    for (const format of ['sha256', 'md5', 'sendgrid']) {
      const { text, headers } = await file({ format });
      expect([headers['erased-count'], text.trim().split('\n').length]).toEqual([
        '1',
        format === 'sendgrid' ? 2 : 1,
      ]);
    }
    for (const format of ['sha256', 'csv']) {
      const filtered = await file({ format, domain: 'xn--bcher-kva.example' });
      expect([format, filtered.headers['erased-count']]).toEqual([format, '1']);
    }
    const erased = await file({ format: 'csv', domain: 'erased.invalid' });
    expect([erased.headers['erased-count'], erased.text.includes(pseudonym)]).toEqual(['0', true]);
    const filtered = await file({ format: 'sha256', cause: 'bounce' });
    expect(filtered.headers['erased-count']).toBe('0');
  });

  it('waits until instances that have not heard of it yet have ended what they began', async () => {
    await suppress(world, world.alice, [ADA]);
    const other = await startTestApp(world.database.url);
    try {
      const ask = async () => {
        const response = await fetch(`${other.url}/suppressions/${PATH}`, {
          headers: { Authorization: `Bearer ${world.alice}` },
        });
        return response.status;
      };
      const write = async () => {
        const response = await fetch(`${other.url}/contacts/${PATH}`, {
          method: 'PATCH',
          headers: { Authorization: `Bearer ${world.alice}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ unsubscribed: true }),
        });
        return response.status;
      };
      const clock = stopClock();
      try {
        expect(await ask()).toBe(200);
        await erase().expect(202);
        await world.app.get(ErasureSweep).run();
        expect(await write()).toBe(200);
        expect((await dump(world)).get('suppressions')).toMatch(TRACES);
      } finally {
        clock.start();
      }
      await eraseFully();
      skipTime(5_000);
      expect(await tables()).toEqual([]);
      expect(await ask()).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('waits neither for the rest of another one, nor for work that continues after it was announced', async () => {
    await suppress(world, world.alice, [ADA, OTHER]);
    await erase().expect(202);
    await erase(KEPT, OTHER).expect(202);
    const job = await fakeImport(world);
    await letInstancesLearn(world);
    await world.app.get(ErasureSweep).run();
    const times = await world.database.query<{ at: string; pseudonym: string }>(
      `SELECT completed_at::text AS at, pseudonym FROM erasures WHERE account_id = $1
      UNION ALL SELECT renamed_at::text, 'renamed' FROM kept_blocks WHERE account_id = $1
      ORDER BY at`,
      [world.acme.id],
    );
    expect(times.map(({ at, pseudonym }) => at && pseudonym)).toEqual([
      'renamed',
      'renamed',
      expect.stringMatching(PSEUDONYM),
      expect.stringMatching(PSEUDONYM),
    ]);
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
  });

  /** Lets the sweep run while its erasures, steps, and outcomes are made up. */
  async function sweepWith(findPending: () => Erasure[], step: (id: string) => StepOutcome): Promise<void> {
    const sweep = world.app.get(ErasureSweep);
    await sweep.run();
    const find = jest.spyOn(world.app.get(ErasuresRepository), 'findPending');
    const next = jest.spyOn(world.app.get(ErasureSteps), 'next');
    find.mockImplementation(async () => findPending());
    next.mockImplementation(async ({ id }) => step(id));
    try {
      await sweep.run();
    } finally {
      find.mockRestore();
      next.mockRestore();
    }
  }

  const erasureOf = (id: string, table: string | null, isAnnounced = true) =>
    ({ id, accountId: world.acme.id, progress: { table, isAnnounced } }) as Erasure;

  it('is not held up by many others whose tables are being rewritten', async () => {
    const others = Array.from({ length: 40 }, (_, index) => erasureOf(`other ${index + 10}`, 'jobs'));
    const announced = erasureOf('announced', null);
    const done: string[] = [];
    await sweepWith(
      () => [...others, ...(done.length > 0 ? [announced] : [])].filter(({ id }) => !done.includes(id)),
      (id) => {
        skipTime(100);
        done.push(id);
        return 'ended';
      },
    );
    expect(done).toHaveLength(41);
    expect(done.indexOf('announced')).toBeLessThan(30);
  });

  it('that waited for an import goes on while another one still rewrites tables', async () => {
    const pending = [erasureOf('waiting', null, false), erasureOf('other', 'jobs')];
    const steps: string[] = [];
    await sweepWith(
      () => (steps.length < 5 ? pending : []),
      (id) => {
        steps.push(id);
        if (id === 'other') {
          skipTime(3_000);
        }
        return id === 'other' ? 'continue' : 'waiting';
      },
    );
    expect(steps).toEqual(['waiting', 'other', 'other', 'waiting', 'other']);
  });

  it('replaces the address only after the version by which instances find the block was stored', async () => {
    await suppress(world, world.alice, [ADA]);
    await world.database.query(
      `CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'failure'; END $$`,
    );
    await world.database.query(
      `CREATE TRIGGER failure BEFORE UPDATE ON accounts
      FOR EACH ROW WHEN (OLD.id = ${world.acme.id}) EXECUTE FUNCTION fail()`,
    );
    await until(async () => (await erase()).status === 500);
    await letInstancesLearn(world);
    await world.app.get(ErasureSweep).run();
    expect(await verdict()).toBe('suppressed');
    expect(
      await world.database.query('SELECT renamed_at FROM kept_blocks WHERE account_id = $1', [world.acme.id]),
    ).toEqual([{ renamed_at: null }]);
    await world.database.query('DROP TRIGGER failure ON accounts');
    await eraseFully();
    expect(await verdict()).toBe('suppressed');
  });

  it('renews the version of the rules again if it was lost with the step that renamed them', async () => {
    await alice().post('/rules').send({ pattern: ADA, effect: 'block' }).expect(201);
    await untilAnnounced(world, () => erase());
    await letInstancesLearn(world);
    const { id: accountId } = world.acme;
    const pending = await world.app.get(ErasuresRepository).findPending();
    const erasure = pending.find((one) => one.accountId === accountId);
    const next = () => world.app.get(ErasureSteps).next(erasure!);
    const versions = (): Promise<{ version: string | null }[]> =>
      world.database.query('SELECT rules_version AS version FROM accounts WHERE id = $1', [accountId]);
    expect(await next()).toBe('continue');
    expect((await alice().get('/rules').expect(200)).body.data).toMatchObject([
      { pattern: expect.stringMatching(PSEUDONYM) },
    ]);
    await world.database.query('UPDATE accounts SET rules_version = NULL WHERE id = $1', [accountId]);
    expect(await next()).toBe('continue');
    expect(await versions()).toEqual([{ version: expect.any(String) }]);
  });

  it('continues after a failure in every step, as if there had been none', async () => {
    await fillPlaces(world, ADA, contactIdOf(world.acme.id, ADA as EmailAddress));
    await endWork(world);
    const facts = 'SELECT progress FROM erasures WHERE account_id = $1';
    const progress = async () => {
      const [row] = await world.database.query<{ progress: { table: string | null } }>(facts, [
        world.acme.id,
      ]);
      return row!.progress;
    };
    const own = [
      'rules',
      'rule_changes',
      'suppression_changes',
      'provider_list_pushes',
      'delivery_events',
      'topic_preferences',
      'suppressions',
    ];
    const rest = tablesOf(REWRITES_WITH_BLOCK).filter((table) => !own.includes(table));
    for (const table of [...own, ...rest]) {
      const deletes = DELETING.includes(table) && !['unsubscribe_mail_ids', 'lift_lines'].includes(table);
      await failAt(world, table, deletes ? 'DELETE' : 'UPDATE');
    }
    await untilAnnounced(world, () => erase());
    expect(await progress()).toMatchObject({ table: null, isAnnounced: true });
    await letInstancesLearn(world);
    for (const table of [...own, ...rest]) {
      await world.app.get(ErasureSweep).run();
      expect((await progress()).table).toBe(own.includes(table) ? null : table);
      expect(await verdict()).toBe('suppressed');
      await world.database.query(`DROP TRIGGER failure ON ${table}`);
    }
    const { keep_block: kept } = await eraseFully();
    expect(kept).toBe(true);
    expect(await verdict()).toBe('suppressed');
    expect((await tables()).map((trace) => trace.split(':')[0])).toEqual(['people', 'audit_entries']);
  });

  it('gets 503 for what is not listed in plain while the key of the account cannot be read', async () => {
    await suppress(world, world.alice, [ADA, OTHER]);
    await eraseFully();
    const other = await startTestApp(world.database.url, { SECRETS_KEY: 'b6'.repeat(32) });
    try {
      const there = { ...world, url: other.url };
      const ask = (emails: string[]) =>
        fetch(`${there.url}/suppressions/check`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${world.alice}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ emails }),
        });
      const answer = await ask([OTHER]);
      expect([answer.status, (await answer.json()).data[0].verdict]).toEqual([200, 'suppressed']);
      for (const emails of [[ADA], ['new@example.com'], [OTHER, 'new@example.com']]) {
        const refused = await ask(emails);
        expect([refused.status, (await refused.json()).code]).toEqual([503, 'kept_blocks_unreadable']);
      }
      const headers = { Authorization: `Bearer ${world.alice}` };
      expect((await fetch(`${there.url}/suppressions/${PATH}`, { headers })).status).toBe(503);
      expect((await fetch(`${there.url}/suppressions/${OTHER}`, { headers })).status).toBe(200);
      for (const contact of [PATH, OTHER, contactIdOf(world.acme.id, 'new@example.com' as EmailAddress)]) {
        const erased = await fetch(`${there.url}/contacts/${contact}/erase`, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({ ...KEPT, reference: 'other' }),
        });
        expect([erased.status, (await erased.json()).code]).toEqual([503, 'kept_blocks_unreadable']);
      }
    } finally {
      await other.close();
    }
  });

  it('can be followed by a complete erasure, which leaves nothing that leads to the pseudonym', async () => {
    await suppress(world, world.alice, [ADA]);
    await report('complaint');
    const { pseudonym } = await eraseFully();
    expect((await erase({ ...KEPT, keep_block: false }).expect(409)).body.code).toBe(
      'erasure_ends_suppression',
    );
    await eraseFully({ ...KEPT, keep_block: false, accept_may_be_mailed_again: true });
    expect(await verdict()).toBe('send');
    const left = [...(await dump(world))].filter(([, text]) => text.includes(pseudonym));
    expect(left.map(([table]) => table)).toEqual(['erasures']);
    await suppress(world, world.alice, [ADA]);
    expect((await dump(world)).get('suppressions')).toMatch(TRACES);
  });

  it('refuses changes before a complete erasure deletes the block, so that nothing is stored behind it', async () => {
    await suppress(world, world.alice, [ADA]);
    await eraseFully();
    const { accept_may_be_mailed_again: _accepted, ...unaccepted } = COMPLETE;
    await untilAnnounced(world, () => erase(COMPLETE));
    const writes = [
      () => alice().post('/suppressions').send({ email: ADA }),
      () => alice().post('/events').send({ type: 'bounce', email: ADA }),
    ];
    for (const write of writes) {
      expect((await write().expect(503)).body.code).toBe('address_being_erased');
    }
    expect(await verdict()).toBe('suppressed');
    await alice().get(`/suppressions/${PATH}`).expect(200);
    await eraseFully(COMPLETE);
    expect(await verdict()).toBe('send');
    await suppress(world, world.alice, [ADA]);
    await eraseFully({ ...KEPT, reference: 'once more' });
    expect(await verdict()).toBe('suppressed');
    await erase(unaccepted).expect(200);
  });

  it('accepts changes again after a complete erasure was refused, because a complaint had arrived', async () => {
    await suppress(world, world.alice, [ADA]);
    await eraseFully();
    await alice().delete(`/suppressions/${PATH}`).expect(200);
    const { accept_may_be_mailed_again: _accepted, ...unaccepted } = COMPLETE;
    await untilAnnounced(world, () => erase(unaccepted));
    const [{ pseudonym }] = (await world.database.query<{ pseudonym: string }>(
      'SELECT pseudonym FROM kept_blocks WHERE account_id = $1',
      [world.acme.id],
    )) as [{ pseudonym: string }];
    await world.database.query(
      `INSERT INTO suppressions (account_id, email, id, cause, created_at)
      VALUES ($1, $2, gen_random_uuid(), 'complaint', now())`,
      [world.acme.id, pseudonym],
    );
    await world.database.query(
      `UPDATE kept_blocks SET announced_at = now() - interval '1 minute', renamed_at = now() - interval '2 minutes'
      WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.app.get(ErasureSweep).run();
    expect(await verdict()).toBe('suppressed');
    await suppress(world, world.alice, [ADA]);
    expect(await verdict()).toBe('suppressed');
  });

  it('can be repeated, even by the id of the contact, which no longer finds the address', async () => {
    await suppress(world, world.alice, [ADA]);
    const { body: contact } = await alice().get(`/contacts/${PATH}`).expect(200);
    const body = await eraseFully();
    expect((await erase(KEPT, contact.id).expect(200)).body).toEqual(body);
    expect(await eraseFully()).toEqual(body);
    await alice().get(`/contacts/${contact.id}`).expect(404);
    await erase({ ...KEPT, reference: 'other' }, contact.id).expect(404);
    const again = await eraseFully({ ...KEPT, reference: 'other' });
    expect(again).toMatchObject({ pseudonym: body.pseudonym, counts: {} });
    expect(await verdict()).toBe('suppressed');
  });

  it('lets a lift be reverted that had lifted the block before', async () => {
    await report('bounce');
    const lift = await countLift(world, world.alice, {
      cause: 'bounce',
      created_after: '2020-01-01T00:00:00Z',
    });
    expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 1 });
    const { pseudonym } = await eraseFully();
    expect(await verdict()).toBe('send');
    expect(await revertLift(world, world.alice, lift.id)).toMatchObject({ reverted: 1 });
    expect(await linesOf(world, world.alice, lift.id)).toMatchObject([
      { email: pseudonym, status: 'reverted' },
    ]);
    expect(await verdict()).toBe('suppressed');
    expect(await tables()).toEqual([]);
  });

  it('stores no address that a consent quotes', async () => {
    await suppress(world, world.alice, [ADA]);
    await alice().post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    await eraseFully();
    const consent = { kind: 'recipient_request', reference: `Mail of <${ADA}>` };
    await alice().delete(`/suppressions/${PATH}`).send({ consent }).expect(200);
    const topics = [{ id: 'news', subscription: 'opt_in' }];
    await alice().patch(`/contacts/${PATH}/topics`).send({ topics, consent }).expect(200);
    expect(await tables()).toEqual([]);
  });

  it('stores no address that a consent quotes with escapes and the note quotes without', async () => {
    await suppress(world, world.alice, [ADA, OTHER]);
    await eraseFully();
    const { body: other } = await alice().get(`/suppressions/${OTHER}`).expect(200);
    const consent = { kind: 'recipient_request', reference: `https://crm.example/?email=${PATH}` };
    const removal = { note: `${ADA} asked on the phone`, consent };
    await alice().delete(`/suppressions/${other.id}`).send(removal).expect(200);
    const { text } = await alice().get(`/suppressions/${OTHER}/history`).expect(200);
    expect(text).not.toContain(PATH);
    expect(await tables()).toEqual([]);
  });

  it('keeps its pseudonym if the contact is erased by its new id, and keeps the block', async () => {
    await suppress(world, world.alice, [ADA]);
    const { pseudonym } = await eraseFully();
    const { body: contact } = await alice().get(`/contacts/${PATH}`).expect(200);
    const again = { ...KEPT, reference: 'other' };
    const repeated = await untilErased(world, async () => erase(again, contact.id));
    expect(repeated).toMatchObject({ pseudonym, counts: {} });
    expect((await dump(world)).get('suppressions')).toContain(pseudonym);
    expect(await verdict()).toBe('suppressed');
    expect(await eraseFully(again)).toEqual(repeated);
  });

  it('can be followed by a complete erasure by the new id of the contact', async () => {
    await suppress(world, world.alice, [ADA]);
    await report('complaint');
    const { pseudonym } = await eraseFully();
    const { body: contact } = await alice().get(`/contacts/${PATH}`).expect(200);
    const complete = { ...KEPT, keep_block: false };
    expect((await erase(complete, contact.id).expect(409)).body.code).toBe('erasure_ends_suppression');
    const accepted = { ...complete, accept_may_be_mailed_again: true };
    const receipt = await untilErased(world, async () => erase(accepted, contact.id));
    expect(receipt.pseudonym).toBe(pseudonym);
    expect(await verdict()).toBe('send');
    const left = [...(await dump(world))].filter(([, text]) => text.includes(pseudonym));
    expect(left.map(([table]) => table)).toEqual(['erasures']);
    expect((await erase(accepted, contact.id).expect(200)).body).toEqual(receipt);
  });

  it('replaces the address in later texts about others when it is repeated', async () => {
    await suppress(world, world.alice, [ADA]);
    await eraseFully();
    await suppress(world, world.alice, [OTHER]);
    const event = { type: 'bounce', email: OTHER, status: '5.1.1', diagnostic: `550 not for <${ADA}>` };
    await alice().post('/events').send(event).expect(200);
    expect((await tables()).map((trace) => trace.split(':')[0])).toContain('delivery_events');
    await eraseFully({ ...KEPT, reference: 'Case 4712' });
    expect(await tables()).toEqual([]);
    expect(await verdict()).toBe('suppressed');
  });

  it('stands in the history as an erasure, not as the change by which followers learn of it', async () => {
    await suppress(service, service.alice, [ADA]);
    await untilErased(service, async () =>
      service.as(service.alice).post(`/contacts/${PATH}/erase`).send(KEPT),
    );
    const settings = { SUPPRESSIONS_URL: service.url, SUPPRESSIONS_API_KEY: service.alice };
    const { stdout } = await runCommand(['why', ADA], settings, '/', '', { program: runClient });
    expect(stdout).toMatch(/ erased +- +the API key alice/);
    expect(stdout).not.toContain('complaint');
    const admin = await signIn(service, 'admin');
    const { text } = await admin.get('/console').query({ q: ADA }).expect(200);
    expect(text).toContain('Address erased');
    expect(text).not.toContain('Cause lifted');
  });

  it('has a page in the console without the forms that need the address itself', async () => {
    const [id] = await suppress(world, world.alice, [ADA]);
    const { pseudonym } = await eraseFully();
    const admin = await signIn(world, 'admin');
    const pageOf = async () => (await admin.get('/console').query({ q: pseudonym }).expect(200)).text;
    const listed = await pageOf();
    expect(listed).toContain('Lift this suppression');
    expect(listed).not.toMatch(/Download all data|Erase this address/);
    await alice().delete(`/suppressions/${id}`).expect(200);
    const lifted = await pageOf();
    expect(lifted).toContain('May be mailed.');
    expect(lifted).not.toMatch(/Suppress this address|Unsubscribe the recipient/);
  });

  it('can be unsubscribed in the console by a person who knows it, and leaves no trace again', async () => {
    await report('bounce');
    await report('unsubscribe');
    const { pseudonym } = await eraseFully();
    const editor = await signIn(world, 'editor');
    const unsubscribe = (email: string) =>
      editor.post('/console/unsubscribe').send({ email, note: `A call of ${ADA}` });
    await unsubscribe(pseudonym).expect(400);
    await unsubscribe(ADA).expect(303);
    await unsubscribe(ADA).expect(409);
    const { body } = await alice().get(`/suppressions/${PATH}/history`).expect(200);
    expect(body.data[0]).toMatchObject({ note: `A call of ${pseudonym}`, actor: { type: 'person' } });
    expect(await tables()).toEqual([]);
  });

  it('concerns no other account, and nobody may name a pseudonym', async () => {
    await suppress(world, world.charlie, [ADA]);
    const { pseudonym } = await eraseFully();
    const { body } = await world.as(world.charlie).get('/suppressions').expect(200);
    expect(body.data[0].email).toBe(ADA);
    const refused = await alice().post('/suppressions').send({ email: pseudonym }).expect(400);
    expect(refused.body.message).toContain('must not stand for an erased address');
    expect((await check({}, pseudonym)).verdict).toBe('invalid');
  });
});
