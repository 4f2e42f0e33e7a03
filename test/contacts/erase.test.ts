import { gzipSync } from 'node:zlib';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { DEFAULT_SCOPES } from '../../src/api-keys/scopes.js';
import { runClient } from '../../src/cli/client/run.js';
import { ErasureSweep } from '../../src/contacts/erasure/erasure-sweep.js';
import { PLACES } from '../../src/contacts/data/places.js';
import { REWRITES } from '../../src/contacts/erasure/rewrites.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { JobSweep } from '../../src/jobs/job-sweep.js';
import { contactIdOf } from '../../src/topics/contact.js';
import { runCommand } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { applyLift, countLift, linesOf, revertLift } from '../support/lifts.js';
import {
  ADA,
  count,
  DELETED_FIRST,
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
  untilErased,
} from '../support/erasures.js';
import { fillPlaces, OTHER } from '../support/places.js';
import { createSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { createKey, createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const ERASED = { keep_block: false, reference: 'Case 4711', accept_may_be_mailed_again: true };

let service: World;
let world: World;
beforeAll(async () => (service = await createWorld()));
beforeEach(async () => (world = await withNewAccounts(service)));
afterAll(() => service.close());

const erase = (body: object = ERASED, email = ADA, apiKey = world.alice) =>
  world
    .as(apiKey)
    .post(`/contacts/${encodeURIComponent(email)}/erase`)
    .send(body);
/** Erases an address, also if that takes longer than a request or another task of the instance is at it. */
const eraseFully = async (
  body: object = ERASED,
  email = ADA,
  apiKey = world.alice,
): Promise<Record<string, unknown>> => {
  return untilErased(world, async () => erase(body, email, apiKey));
};
const verdict = async (email = ADA): Promise<string> => {
  const { body } = await world
    .as(world.alice)
    .post('/suppressions/check')
    .send({ emails: [email] })
    .expect(200);
  return body.data[0].verdict;
};
const changes = async (): Promise<Record<string, unknown>[]> =>
  (await world.as(world.alice).get('/changes?limit=1000').expect(200)).body.data;

describe('POST /contacts/:contact/erase', () => {
  it('leaves the address in no table, in no form, and changes nothing else', async () => {
    const contactId = contactIdOf(world.acme.id, ADA as EmailAddress);
    await fillPlaces(world, ADA, contactId);
    const before = await dump(world);
    const first = await erase().expect(202);
    expect(first.body).toMatchObject({ status: 'erasing', completed_at: null });
    await until(async () => {
      const texts = await dump(world);
      return DELETED_FIRST.every((table) => !TRACES.test(texts.get(table)!));
    });
    expect((await dump(world)).get('suppressions')).toMatch(TRACES);
    await world.app.get(JobSweep).run();
    await world.app.get(ErasureSweep).run();
    await erase().expect(202);
    await world.database.query(
      `UPDATE source_topics SET moved_up_to = '', moving_from = NULL WHERE account_id = $1`,
      [world.acme.id],
    );
    const body = await eraseFully();
    expect(body).toMatchObject({
      object: 'erasure',
      id: first.body.id,
      status: 'completed',
      keep_block: false,
    });
    const after = await dump(world);
    const kept = tracesIn(after).map((trace) => trace.split(':')[0]);
    expect(kept.sort()).toEqual(['audit_entries', 'people']);
    KEYED_BY_QUOTATIONS.forEach((table) => before.delete(table));
    for (const [table, text] of before) {
      expect([table, count(after.get(table)!, OTHER)]).toEqual([table, count(text, OTHER)]);
    }
    expect(JSON.stringify(body)).not.toMatch(TRACES);
  });

  it('has a receipt with numbers of rows, who erased the address, and why', async () => {
    await suppress(world, world.alice, [ADA]);
    const body = await eraseFully();
    expect(body).toEqual({
      object: 'erasure',
      id: expect.any(String),
      status: 'completed',
      keep_block: false,
      pseudonym: expect.stringMatching(/^erased-[a-z2-7]{26}@erased\.invalid$/),
      reference: 'Case 4711',
      counts: { suppressions: 1, suppression_changes: 1 },
      actor: { type: 'api_key', id: expect.any(String), name: 'alice' },
      created_at: expect.any(String),
      completed_at: expect.any(String),
      backups_until: null,
      key: expect.any(String),
    });
    const { text } = await world.as(world.alice).get('/audit-log').expect(200);
    expect(text).toContain('"action":"contact.erased"');
    expect(text).toContain('Case 4711');
    expect(text).not.toMatch(TRACES);
  });

  it('lets the address be mailed, and be suppressed again', async () => {
    await suppress(world, world.alice, [ADA, 'ada@example.com']);
    await eraseFully();
    expect([await verdict(), await verdict('ada@example.com')]).toEqual(['send', 'suppressed']);
    await world
      .as(world.alice)
      .get(`/suppressions/${encodeURIComponent(ADA)}/history`)
      .expect(404);
    await suppress(world, world.alice, [ADA]);
    expect(await verdict()).toBe('suppressed');
  });

  it('announces the record in the feed, whose lines keep their ids, positions, and revisions', async () => {
    const [id] = await suppress(world, world.alice, [ADA]);
    await world.as(world.alice).delete(`/suppressions/${id}`).expect(200);
    const [next] = await suppress(world, world.alice, [ADA]);
    const before = await changes();
    await eraseFully();
    const after = await changes();
    expect(JSON.stringify(after)).not.toMatch(TRACES);
    const facts = ({ id: line, revision, type, created_at }: Record<string, unknown>) => [
      line,
      revision,
      type,
      created_at,
    ];
    expect(after.slice(0, before.length).map(facts)).toEqual(before.map(facts));
    expect(after.slice(before.length)).toEqual([
      expect.objectContaining({
        type: 'contact.erased',
        suppression: null,
        erased: { suppression_id: next },
      }),
      expect.objectContaining({ type: 'contact.erased', suppression: null, erased: { suppression_id: id } }),
    ]);
    const [name, ...others] = new Set(after.map(({ email }) => email));
    expect(name).toMatch(/^erased-/);
    expect(others).toEqual([]);
  });

  it('is refused without consent if nothing would know anymore that the address must not be mailed', async () => {
    const { accept_may_be_mailed_again: _accepted, ...body } = ERASED;
    await suppress(world, world.alice, [ADA]);
    expect((await erase(body).expect(409)).body.code).toBe('erasure_ends_suppression');
    expect(await verdict()).toBe('suppressed');
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'News', default_subscription: 'opt_in' })
      .expect(201);
    const opted = 'opted@example.com';
    await world
      .as(world.alice)
      .patch(`/contacts/${opted}/topics`)
      .send([{ id: 'news', subscription: 'opt_out' }])
      .expect(200);
    await erase(body, opted).expect(409);
    const rule = { pattern: 'blocked@example.com', effect: 'block' };
    await world.as(world.alice).post('/rules').send(rule).expect(201);
    await erase(body, rule.pattern).expect(409);
    for (const other of [
      { pattern: 'free@example.com', effect: 'allow' },
      { ...rule, pattern: 'over@example.com' },
    ]) {
      await world.as(world.alice).post('/rules').send(other).expect(201);
    }
    await world.database.query(`UPDATE rules SET expires_at = now() WHERE pattern = 'over@example.com'`);
    await eraseFully(body, 'free@example.com');
    await eraseFully(body, 'over@example.com');
    const ended = 'ended@example.com';
    await suppress(world, world.alice, [ended]);
    await world.database.query('UPDATE suppressions SET expires_at = now() WHERE email = $1', [ended]);
    await eraseFully(body, ended);
  });

  it('refuses an unknown field, and a reference that contains the address', async () => {
    for (const [body, path] of [
      [{ ...ERASED, keep_block: 'yes' }, 'keep_block'],
      [{ reference: 'x' }, 'keep_block'],
      [{ ...ERASED, reference: ' ' }, 'reference'],
      [{ ...ERASED, reference: `Mail of ${ADA.toUpperCase()}` }, 'reference'],
      [{ ...ERASED, force: true }, 'force'],
    ] as const) {
      const response = await erase(body).expect(400);
      expect(response.body.errors).toEqual([{ path, message: expect.any(String) }]);
    }
    expect(await world.database.query('SELECT FROM erasures WHERE account_id = $1', [world.acme.id])).toEqual(
      [],
    );
  });

  it('returns the same receipt for the same reference, and erases what came back for another one', async () => {
    await suppress(world, world.alice, [ADA]);
    const body = await eraseFully();
    expect(await eraseFully()).toEqual(body);
    await suppress(world, world.alice, [ADA]);
    expect(await eraseFully()).toEqual(body);
    expect(await verdict()).toBe('suppressed');
    const again = await eraseFully({ ...ERASED, reference: 'Case 4712' });
    expect(again).toMatchObject({ pseudonym: body.pseudonym, counts: { suppressions: 1 } });
    expect(again.id).not.toBe(body.id);
    expect(await verdict()).toBe('send');
    expect(await eraseFully()).toEqual(body);
  });

  it('continues after a failure in every step, as if there had been none', async () => {
    await fillPlaces(world, ADA, contactIdOf(world.acme.id, ADA as EmailAddress));
    await endWork(world);
    const progress = async () => {
      const [row] = await world.database.query<{ table: string | null }>(
        `SELECT progress ->> 'table' AS table FROM erasures WHERE account_id = $1`,
        [world.acme.id],
      );
      return row!.table;
    };
    const others = tablesOf(REWRITES).filter((table) => !DELETED_FIRST.includes(table));
    const tables = [...DELETED_FIRST, 'topic_preferences', ...others];
    for (const table of tables) {
      const deletes = [...DELETING, 'topic_preferences'].includes(table);
      await failAt(world, table, deletes ? 'DELETE' : 'UPDATE');
    }
    await erase().expect(500);
    for (const table of tables) {
      await world.app.get(ErasureSweep).run();
      expect(await progress()).toBe(table === 'topic_preferences' ? null : table);
      await world.database.query(`DROP TRIGGER failure ON ${table}`);
    }
    await world.app.get(ErasureSweep).run();
    const body = await eraseFully();
    const perTable = Object.fromEntries(
      PLACES.filter(({ erasure }) => !['keep', 'wait'].includes(erasure)).map(
        ({ table, address, texts = [] }) => [table, (address === undefined ? 0 : 1) + texts.length],
      ),
    );
    // The deletion of the rule is a line of its history.
    expect(body.counts).toEqual({ ...perTable, rule_changes: perTable.rule_changes! + 1, withdrawals: 1 });
    const kept = tracesIn(await dump(world)).map((trace) => trace.split(':')[0]);
    expect(kept.sort()).toEqual(['audit_entries', 'people']);
  });

  it('leaves what is reported while it runs, and nothing leads from there to the random name', async () => {
    const report = (type: string) =>
      world
        .as(world.alice)
        .post('/events')
        .send({ type, email: ADA, diagnostic: `To ${ADA}` })
        .expect(200);
    await report('complaint');
    const pending = async () => {
      const [row] = await world.database.query<{ table: string }>(
        `SELECT progress ->> 'table' AS table FROM erasures WHERE account_id = $1`,
        [world.acme.id],
      );
      return row!.table;
    };
    const job = await fakeImport(world);
    await erase().expect(202);
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
    await world.database.query(
      `CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'pause'; END $$`,
    );
    await world.database.query(
      `CREATE TRIGGER pause BEFORE UPDATE ON suppression_changes
      FOR EACH ROW WHEN (OLD.account_id = ${world.acme.id}) EXECUTE FUNCTION pause()`,
    );
    await world.app.get(ErasureSweep).run();
    expect(await verdict()).toBe('send');
    await expect(pending()).resolves.toBe('suppression_changes');
    await report('unsubscribe');
    const path = `/suppressions/${encodeURIComponent(ADA)}`;
    await world.as(world.alice).delete(path).expect(200);
    await report('complaint');
    await world
      .as(world.alice)
      .post('/rules')
      .send({ pattern: ADA, effect: 'block', note: `As ${ADA} asked` })
      .expect(201);
    await world.database.query('DROP TRIGGER pause ON suppression_changes');
    await world.app.get(ErasureSweep).run();
    const tables = await dump(world);
    const idsIn = (isErased: boolean) => {
      const rows = ['suppression_changes', 'delivery_events', 'rule_changes'].flatMap((table) =>
        tables
          .get(table)!
          .split('\n')
          .filter((row) => row.includes('@erased.invalid') === isErased),
      );
      const ids = rows.flatMap((row) => row.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []);
      return new Set(ids);
    };
    const { body } = await world.as(world.alice).get(`${path}/history`).expect(200);
    expect(body.data.map(({ action }: { action: string }) => action).sort()).toEqual([
      'added',
      'added',
      'removed',
    ]);
    const [row] = await world.database.query<{ erased: number; kept: number }>(
      `SELECT
        (SELECT count(*)::integer FROM delivery_events WHERE account_id = $1 AND recipient LIKE 'erased-%') AS erased,
        (SELECT count(*)::integer FROM delivery_events WHERE account_id = $1 AND recipient = $2 AND diagnostic = $3) AS kept`,
      [world.acme.id, ADA, `To ${ADA}`],
    );
    expect(row).toEqual({ erased: 1, kept: 2 });
    const rule = await world
      .as(world.alice)
      .get(`/rules/${encodeURIComponent(ADA)}`)
      .expect(200);
    expect(rule.body.note).toBe(`As ${ADA} asked`);
    const shared = [...idsIn(true)].filter((id) => idsIn(false).has(id));
    const sourcesAndActors = await world.database.query<{ id: string }>(
      'SELECT id FROM sources WHERE account_id = $1 UNION SELECT id FROM api_keys WHERE account_id = $1',
      [world.acme.id],
    );
    const known = sourcesAndActors.map(({ id }) => id);
    expect(shared.filter((id) => !known.includes(id))).toEqual([]);
  });

  it('erases an address that one notification spells in two ways', async () => {
    const { id } = await createSource(world, 'postmark', { account: world.acme.name });
    const bob = 'bob@example.com';
    for (const key of ['n1 Bob@example.com', 'n1 bob@example.com']) {
      await world.database.query(
        `INSERT INTO delivery_events (account_id, source_id, received_at, kind, effect, outcome, key, recipient, reason)
        VALUES ($1, $2, now(), 'delivered', 'none', 'nothing', $3, $4, 'test')`,
        [world.acme.id, id, key, bob],
      );
    }
    expect((await eraseFully(ERASED, bob)).counts).toEqual({ delivery_events: 2 });
    const keys = await world.database.query<{ key: string }>(
      'SELECT key FROM delivery_events WHERE account_id = $1 ORDER BY id',
      [world.acme.id],
    );
    expect(keys.map(({ key }) => key)).toEqual([
      expect.stringMatching(/^n1 erased-/),
      expect.stringMatching(/^erased [0-9a-f-]{36} n1 erased-/),
    ]);
  });

  it('takes locks in the same order as a request that changes choices and then the record', async () => {
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await world.as(world.alice).post('/topics').send(topic).expect(201);
    const topics = [{ id: 'news', subscription: 'opt_out' }];
    await world
      .as(world.alice)
      .post('/contacts')
      .send({ email: ADA, unsubscribed: true, topics })
      .expect(201);
    let erased: Promise<number> | undefined;
    await world.app.get(DataSource).transaction(async (transaction) => {
      const lock = (table: string) =>
        transaction.query(`SELECT FROM ${table} WHERE account_id = $1 AND email = $2 FOR UPDATE NOWAIT`, [
          world.acme.id,
          ADA,
        ]);
      await lock('topic_preferences');
      erased = erase().then(({ status }) => status);
      await world.database.untilWaiting();
      await lock('suppressions');
    });
    expect(await erased).toBeLessThan(300);
  });

  it('is not held up by an earlier one that cannot continue', async () => {
    await suppress(world, world.alice, [ADA, 'bob@example.com']);
    const job = await fakeImport(world);
    await erase().expect(202);
    await erase(ERASED, 'bob@example.com').expect(202);
    const record = await world.database.lockRow(
      'suppressions',
      `account_id = ${world.acme.id} AND email = '${ADA}'`,
    );
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
    await world.app.get(ErasureSweep).run();
    expect([await verdict(), await verdict('bob@example.com')]).toEqual(['suppressed', 'send']);
    await record.release();
    await eraseFully();
  });

  it('keeps the revert of a lift from adding the address again', async () => {
    await world.as(world.alice).post('/events').send({ type: 'bounce', email: ADA }).expect(200);
    const lift = await countLift(world, world.alice, {
      cause: 'bounce',
      created_after: '2020-01-01T00:00:00Z',
    });
    expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 1 });
    const lines = await world.database.query<{ line: object }>(
      'SELECT to_jsonb(lift_lines) AS line FROM lift_lines WHERE account_id = $1',
      [world.acme.id],
    );
    await eraseFully();
    await world.database.query(
      'INSERT INTO lift_lines SELECT * FROM jsonb_populate_record(NULL::lift_lines, $1)',
      [JSON.stringify(lines[0]!.line)],
    );
    expect(await revertLift(world, world.alice, lift.id)).toMatchObject({ reverted: 0 });
    expect(await linesOf(world, world.alice, lift.id)).toMatchObject([
      { status: 'applied', reason: 'erased' },
    ]);
    expect(await verdict()).toBe('send');
  });

  it('leaves no address in a delivery of a webhook that was on its way', async () => {
    await suppress(world, world.alice, [ADA]);
    const [{ id: event }] = (await changes()) as [{ id: string }];
    await world.database.query(
      `INSERT INTO webhooks (account_id, id, position, endpoint, events, signing_secrets, status, disabled_at, disabled_reason)
      VALUES ($1, uuid_v7(), 0, 'http://127.0.0.1:9/', '{}', '[]', 'disabled', now(), 'requested')`,
      [world.acme.id],
    );
    const setLease = (lease: string) =>
      world.database.query(`UPDATE webhooks SET ${lease} WHERE account_id = $1`, [world.acme.id]);
    await setLease(`lease_id = gen_random_uuid(), leased_until = now() + interval '44 seconds'`);
    await erase().expect(202);
    expect(await verdict()).toBe('send');
    await world.app.get(ErasureSweep).run();
    await world.database.query(
      `INSERT INTO webhook_deliveries (account_id, webhook_id, id, created_at, status, type, body)
      SELECT account_id, id, $3, now(), 'success', 'suppression.added', $2 FROM webhooks WHERE account_id = $1`,
      [world.acme.id, JSON.stringify({ data: { email: ADA } }), event],
    );
    await world.app.get(ErasureSweep).run();
    expect(tracesIn(await dump(world))).toHaveLength(1);
    await setLease('lease_id = NULL, leased_until = now()');
    await eraseFully();
    expect(tracesIn(await dump(world))).toEqual([]);
  });

  it('is not in the audit log if it was refused', async () => {
    const { accept_may_be_mailed_again: _accepted, ...body } = ERASED;
    const job = await fakeImport(world);
    await erase(body).expect(202);
    await suppress(world, world.alice, [ADA]);
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
    await world.app.get(ErasureSweep).run();
    await erase(body).expect(409);
    expect((await world.as(world.alice).get('/audit-log').expect(200)).text).not.toContain('contact.erased');
  });

  it('waits for an import that began before it', async () => {
    await suppress(world, world.alice, [ADA]);
    const job = await fakeImport(world);
    await erase().expect(202);
    await world.app.get(ErasureSweep).run();
    expect(await verdict()).toBe('suppressed');
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
    await world.app.get(ErasureSweep).run();
    expect(await verdict()).toBe('send');
    await eraseFully();
  });

  it('waits for an import that began before it at an instance whose clock is ahead', async () => {
    const job = await fakeImport(world, uuidv7({ msecs: Date.now() + 60_000 }));
    await world.database.query(
      'INSERT INTO job_pieces (account_id, job_id, number, data) VALUES ($1, $2, 0, $3)',
      [world.acme.id, job, gzipSync(`email\n${ADA}\n`)],
    );
    await erase().expect(202);
    await world.database.query(
      `UPDATE jobs SET status = 'completed', completed_at = now() WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.app.get(ErasureSweep).run();
    const kept = `SELECT FROM jobs WHERE account_id = $1 AND leased_until IS NOT NULL`;
    expect(await world.database.query(kept, [world.acme.id])).toEqual([]);
    await world.app.get(JobSweep).run();
    await eraseFully();
  });

  it('erases nothing if the address is suppressed meanwhile, unless that was accepted', async () => {
    const { accept_may_be_mailed_again: _accepted, ...body } = ERASED;
    const job = await fakeImport(world);
    const bob = 'bob@example.com';
    await world.database.query(
      `INSERT INTO unsubscribe_mail_ids (account_id, id, email) VALUES ($1, uuid_v7(), $2)`,
      [world.acme.id, ADA],
    );
    const countMailIds = () =>
      world.database.query(`SELECT FROM unsubscribe_mail_ids WHERE account_id = $1 AND email = $2`, [
        world.acme.id,
        ADA,
      ]);
    await erase(body).expect(202);
    await erase(body, bob).expect(202);
    const [cy, di] = ['cy@example.com', 'di@example.com'];
    await erase(body, cy).expect(202);
    await erase(body, di).expect(202);
    await suppress(world, world.alice, [ADA, bob]);
    await world.as(world.alice).post('/rules').send({ pattern: cy, effect: 'block' }).expect(201);
    await world.as(world.alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' });
    await world
      .as(world.alice)
      .patch(`/contacts/${di}/topics`)
      .send([{ id: 'news', subscription: 'opt_out' }])
      .expect(200);
    await erase(ERASED, bob).expect(202);
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
    await world.app.get(ErasureSweep).run();
    expect([await verdict(), await verdict(bob)]).toEqual(['suppressed', 'send']);
    for (const email of [ADA, cy, di]) {
      expect((await erase(body, email).expect(409)).body.code).toBe('erasure_ends_suppression');
    }
    expect(await countMailIds()).toHaveLength(1);
    await eraseFully();
    expect(await countMailIds()).toEqual([]);
  });

  it('continues what an earlier version began with a table that is deleted later now', async () => {
    const job = await fakeImport(world);
    await erase().expect(202);
    await world.database.query(
      `UPDATE erasures
      SET progress = progress || '{"table": "unsubscribe_mail_ids", "after": null, "isPreparing": true}'
      WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
    await eraseFully();
  });

  it('is refused for a complaint whose bounce has just expired', async () => {
    const { accept_may_be_mailed_again: _accepted, ...body } = ERASED;
    for (const type of ['complaint', 'bounce']) {
      await world.as(world.alice).post('/events').send({ type, email: ADA, status: '5.1.1' }).expect(200);
    }
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE account_id = $1`,
      [world.acme.id],
    );
    expect((await erase(body).expect(409)).body.code).toBe('erasure_ends_suppression');
    const job = await fakeImport(world);
    await world.database.query('DELETE FROM suppressions WHERE account_id = $1', [world.acme.id]);
    await erase(body).expect(202);
    await world.as(world.alice).post('/events').send({ type: 'complaint', email: ADA }).expect(200);
    await world.database.query(
      `UPDATE suppressions SET weaker_causes = cause_bit('bounce'), expires_at = now() - interval '1 second'
      WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
    await world.app.get(ErasureSweep).run();
    expect(await verdict()).toBe('suppressed');
  });

  it('erases nothing of another account', async () => {
    await suppress(world, world.charlie, [ADA]);
    await eraseFully();
    const path = `/suppressions/${encodeURIComponent(ADA)}/history`;
    const { body } = await world.as(world.charlie).get(path).expect(200);
    expect(body.data).toHaveLength(1);
  });

  it('requires the scope contacts:erase, which new keys do not have unless they name it', async () => {
    const key = await createKey(world, [...DEFAULT_SCOPES], world.acme.name);
    expect((await erase(ERASED, ADA, key).expect(401)).body.message).toContain('contacts:erase');
    await eraseFully(ERASED, ADA, await createKey(world, ['contacts:erase'], world.acme.name));
  });
});

describe('suppressions person erase', () => {
  const run = (...args: string[]) => {
    const settings = { SUPPRESSIONS_URL: world.url, SUPPRESSIONS_API_KEY: world.alice };
    const command = ['person', 'erase', ADA, '--completely', '--reference', 'Case 4711', ...args];
    return runCommand(command, settings, '/', '', { program: runClient });
  };

  it('erases the address, and prints the receipt', async () => {
    await suppress(world, world.alice, [ADA]);
    expect(await run()).toMatchObject({ code: 2, problems: ['Nothing was changed. Confirm with --yes.'] });
    expect(await run('--yes')).toMatchObject({
      code: 1,
      problems: [
        expect.stringContaining(
          'Nothing was erased. To erase it nevertheless, add --accept-may-be-mailed-again.',
        ),
      ],
    });
    expect(await verdict()).toBe('suppressed');
    const { code, stdout } = await run('--yes', '--accept-may-be-mailed-again');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', counts: { suppressions: 1 } });
    expect(stdout).not.toMatch(TRACES);
    expect(await verdict()).toBe('send');
  });
});

describe('the console', () => {
  it('erases an address that an admin has typed again', async () => {
    const admin = await signIn(service, 'admin');
    await suppress(service, service.alice, [ADA]);
    const form = { email: ADA, typed: ADA, reference: 'Case 4711', accept: 'yes' };
    const post = (fields: object) => admin.post('/console/personal-data/erase').type('form').send(fields);
    expect((await post({ ...form, typed: 'ada@example.com' }).expect(400)).text).toContain(
      'that you typed is another one',
    );
    const { accept: _accept, ...unaccepted } = form;
    const refused = await post(unaccepted).expect(409);
    expect(refused.text).toContain('tick “I know that without the block, the address may be mailed again”');
    expect(refused.text).toContain('Case 4711');
    const { headers } = await post(form).expect(303);
    const { text } = await admin.get(headers.location!).expect(200);
    for (const part of [
      'The address is erased.',
      'Case 4711',
      'completed',
      'Suppression changes',
      'erased-',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('BACKUP_RETENTION_DAYS is not set');
    expect(text).not.toMatch(TRACES);
    expect((await admin.get('/console/audit-log').expect(200)).text).toContain(`href="${headers.location}"`);
    expect((await post(form).expect(400)).text).toContain('enter another reference');
    const key = service.alice;
    const { body } = await service
      .as(key)
      .post('/suppressions/check')
      .send({ emails: [ADA] })
      .expect(200);
    expect(body.data[0].verdict).toBe('send');
  });
});

describe('the page of an erasure in the console', () => {
  it('shows on each reload that it is running, and then the receipt', async () => {
    const admin = await signIn(service, 'admin');
    await suppress(service, service.alice, ['bob@example.com']);
    const form = { email: 'bob@example.com', typed: 'bob@example.com', reference: 'Case 12', block: 'keep' };
    const post = () => admin.post('/console/personal-data/erase').type('form').send(form);
    const { headers } = await post().expect(303);
    const page = async () => (await admin.get(headers.location!).expect(200)).text;
    const first = await admin.get(headers.location!).expect(200);
    expect(first.text).toContain('The address is being erased.');
    expect(first.headers['content-security-policy']).toContain("script-src 'self'");
    expect(await page()).toMatch(/data-running.*running/s);
    expect((await post().expect(303)).headers.location).toBe(headers.location);
    await until(async () => {
      await letInstancesLearn(service);
      await service.app.get(ErasureSweep).run();
      return !(await page()).includes('data-running');
    });
    const text = await page();
    expect(text).toContain('Kept, with a pseudonym');
    expect(text).toContain('&quot;status&quot;:&quot;completed&quot;');
    expect(text).not.toContain('bob@');
  });
});

describe('the ledger', () => {
  const change = (statement: string) => world.database.query(statement, [world.acme.id]);
  const call = `erase_from_ledger($1, ARRAY(SELECT id FROM suppression_changes WHERE account_id = $1), 'a@example.com'`;

  it('still refuses every other change, even with the name of the function in it', async () => {
    await suppress(world, world.alice, ['a@example.com']);
    for (const statement of [
      `UPDATE suppression_changes SET email = 'b@example.com' WHERE account_id = $1`,
      `UPDATE suppression_changes SET note = E'\\nPL/pgSQL function erase_from_ledger(integer,uuid[],text,text,text) line 9 at SQL statement' WHERE account_id = $1`,
      `DELETE FROM suppression_changes WHERE account_id = $1`,
    ]) {
      await expect(change(statement)).rejects.toThrow('append-only');
    }
    await expect(change(`SELECT ${call}, 'a@example[.]com', 'b@example.com')`)).rejects.toThrow(
      'replaces an address',
    );
    await expect(
      change(`SELECT ${call}, 'x', 'erased-aaaaaaaaaaaaaaaaaaaaaaaaaa@erased.invalid')`),
    ).rejects.toThrow('replaces an address');
  });

  it('admits the function on a server of any language', async () => {
    const [trigger] = await world.database.query<{ pattern: string }>(
      `SELECT substring(prosrc FROM 'calls ~ ''([^'']+)''') AS pattern
      FROM pg_proc WHERE oid = 'refuse_to_change_the_ledger'::regproc`,
    );
    const admits = async (line: string) => {
      const calls = `PL/pgSQL refuse_to_change_the_ledger()\nSQL "UPDATE suppression_changes\n SET"\n${line}`;
      const [row] = await world.database.query<{ admits: boolean }>('SELECT $1::text ~ $2::text AS admits', [
        calls,
        trigger!.pattern,
      ]);
      return row!.admits;
    };
    const name = 'erase_from_ledger(integer,uuid[],text,text,text)';
    for (const line of [
      `PL/pgSQL function ${name} line 9 at SQL statement`,
      `PL/pgSQL function app.${name} line 9 at SQL statement`,
      `PL/pgSQL-Funktion ${name} Zeile 9 bei SQL-Anweisung`,
      `PL/pgSQL関数${name}の9行目 - SQL ステートメント`,
      `PL/pgSQL 함수 "${name}" 의 9번째 SQL 문`,
      `${name} PL/pgSQL fonksiyonu, 9. satır, SQL ifadesi içinde`,
    ]) {
      expect([line, await admits(line)]).toEqual([line, true]);
    }
    for (const line of [
      `PL/pgSQL function do_not_${name} line 9 at SQL statement`,
      `PL/pgSQL function ${name} line 9 at SQL statement\nPL/pgSQL function inline_code_block line 1 at PERFORM`,
      'PL/pgSQL function erase_from_ledger(integer) line 9 at SQL statement',
    ]) {
      expect([line, await admits(line)]).toEqual([line, false]);
    }
  });
});
