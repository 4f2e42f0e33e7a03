import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { runClient } from '../../src/cli/client/run.js';
import { ErasureSweep } from '../../src/contacts/erasure/erasure-sweep.js';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { PreferencePagesRepository } from '../../src/exports/preference-pages.repository.js';
import { ChunkWriter, SupersededError } from '../../src/imports/chunk-writer.js';
import { AddressBeingErasedError } from '../../src/pseudonyms/errors.js';
import { StoredNames } from '../../src/pseudonyms/stored-names.js';
import { skipTime } from '../support/clock.js';
import { runCommand } from '../support/command-line.js';
import {
  ADA,
  dump,
  failAt,
  fakeImport,
  letInstancesLearn,
  tracesIn,
  untilAnnounced,
  untilErased,
} from '../support/erasures.js';
import { applyLift, countLift, revertLift } from '../support/lifts.js';
import { OTHER } from '../support/places.js';
import { BOUNCES } from '../support/provider-bounces.js';
import { createCertificate } from '../support/servers/certificate.js';
import { CERTIFICATE_URL, envelope, signed, TOPIC } from '../support/servers/sns.js';
import { createSource, post, readLedger, type TestSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

let service: World;
beforeAll(async () => (service = await createWorld()));
afterAll(() => service.close());

describe('an event that is delivered again after an erasure that keeps the block', () => {
  const DAY_MS = 86_400_000;

  const MESSAGE = '000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000';

  const KEPT = { keep_block: true, reference: 'Case 4711' };

  let world: World;

  const realFetch = globalThis.fetch;

  const certificate = createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

  beforeAll(async () => {
    world = service;
    globalThis.fetch = async (url, init) =>
      String(url) === CERTIFICATE_URL ? new Response(certificate.pem) : realFetch(url, init);
  });

  afterAll(async () => {
    globalThis.fetch = realFetch;
  });

  const alice = () => world.as(world.alice);

  const erase = (email: string) =>
    untilErased(world, async () =>
      alice()
        .post(`/contacts/${encodeURIComponent(email)}/erase`)
        .send(KEPT),
    );

  const eventsOf = (source: TestSource) =>
    world.database.query('SELECT * FROM delivery_events WHERE source_id = $1 ORDER BY id', [source.id]);

  async function ses(_world: World, email: string) {
    const source = await createSource(world, 'ses', { options: { topicArns: [TOPIC] } });
    const bounce = {
      bounceType: 'Transient',
      bounceSubType: 'MailboxFull',
      bouncedRecipients: [email, email.toLowerCase()].map((emailAddress) => ({
        emailAddress,
        status: '4.2.2',
      })),
      timestamp: new Date().toISOString(),
    };
    const message = { notificationType: 'Bounce', mail: { messageId: MESSAGE }, bounce };
    const body = signed(
      { ...envelope(message), Timestamp: new Date().toISOString() },
      certificate.privateKey,
    );
    return { source, send: () => post(world, source, body, { 'Content-Type': 'text/plain; charset=UTF-8' }) };
  }

  async function posted(_world: World, email: string) {
    const event = { type: 'bounce', email, status: '5.1.1' };
    const send = async () =>
      alice().post('/events').set('Idempotency-Key', `mail to ${email}`).send(event).expect(200);
    await send();
    const [{ source_id: id }] = (await world.database.query(
      `SELECT source_id FROM delivery_events WHERE recipient = $1`,
      [email.toLowerCase()],
    )) as [{ source_id: string }];
    return { source: { id } as TestSource, send };
  }

  it.each(Object.entries({ ...BOUNCES, ses, posted }))(
    'is recognized if it comes from %s, however it spells the address',
    async (name, deliver) => {
      const email = `${name}.Lovelace@example.com`;
      const { source, send } = await deliver(world, email);
      await send();
      const { pseudonym } = await erase(email.toLowerCase());
      const before = [await eventsOf(source), await readLedger(world, pseudonym)];
      expect(before[0]).not.toEqual([]);
      expect((await send()).status).toBeLessThan(300);
      expect([await eventsOf(source), await readLedger(world, pseudonym)]).toEqual(before);
      expect(tracesIn(await dump(world))).toEqual([]);
    },
  );

  it('is recognized while the erasure rewrites tables', async () => {
    const email = 'early.lovelace@example.com';
    const { source, send } = await BOUNCES.resend(world, email);
    await send();
    await alice()
      .post('/suppressions')
      .send({ email: 'grace@example.org', note: `As ${email} asked` })
      .expect(201);
    await world.database.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'failure'; END $$;
      CREATE TRIGGER failure BEFORE UPDATE ON suppression_changes
      FOR EACH ROW WHEN (OLD.email = 'grace@example.org') EXECUTE FUNCTION fail()`,
    );
    const request = () => alice().post(`/contacts/${email}/erase`).send(KEPT);
    await until(async () => {
      await letInstancesLearn(world);
      return (await request()).status === 500;
    });
    const before = await eventsOf(source);
    await send();
    expect(await eventsOf(source)).toEqual(before);
    await world.database.query('DROP TRIGGER failure ON suppression_changes');
    await erase(email);
    expect(tracesIn(await dump(world))).toEqual([]);
  });
});

describe('erasures that are repeated', () => {
  const BOB = 'bob@example.com';

  let world: World;

  beforeEach(async () => (world = await withNewAccounts(service)));

  const erase = (email: string, body: object) =>
    untilErased(world, async () =>
      world
        .as(world.alice)
        .post(`/contacts/${encodeURIComponent(email)}/erase`)
        .send({ accept_may_be_mailed_again: true, ...body }),
    );

  const verdicts = async (): Promise<string[]> => {
    const { body } = await world
      .as(world.alice)
      .post('/suppressions/check')
      .send({ emails: [ADA, BOB] })
      .expect(200);
    return body.data.map(({ verdict }: { verdict: string }) => verdict);
  };

  /** As if the database were restored from a backup that is older than the first erasure of the account. */
  const restore = async () => {
    for (const table of ['erasures', 'erasure_keys', 'kept_blocks', 'suppressions', 'delivery_events']) {
      await world.database.query(`DELETE FROM ${table} WHERE account_id = $1`, [world.acme.id]);
    }
    await world.database.query('UPDATE accounts SET kept_blocks_version = NULL WHERE id = $1', [
      world.acme.id,
    ]);
    world.app.get(StoredNames).forget(world.acme.id);
    await suppress(world, world.alice, [ADA, BOB]);
  };

  /** A receipt of an erasure that began after everything that the backup has. */
  const later = <Receipt extends object>(receipt: Receipt, minutes = 60): Receipt => ({
    ...receipt,
    created_at: new Date(Date.now() + minutes * 60_000).toISOString(),
  });

  const repeat = (receipts: object[], more: object = {}) =>
    world
      .as(world.alice)
      .post('/erasures/repeat')
      .send({ receipts, ...more });

  const sweep = async () => {
    await letInstancesLearn(world);
    await world.app.get(ErasureSweep).run();
  };

  /** Meanwhile, erasures continue without the pauses between two sweeps. */
  const runFrom = async (name: string, content: string | Buffer, ...args: string[]) => {
    const settings = { SUPPRESSIONS_URL: world.url, SUPPRESSIONS_API_KEY: world.alice };
    const command = ['person', 'erase', '--from', name, '--yes', ...args];
    const sweeping = setInterval(() => void sweep().catch(() => undefined), 100);
    try {
      return await runCommand(command, settings, '/', content, { program: runClient });
    } finally {
      clearInterval(sweeping);
      await sweep();
    }
  };

  const run = (content: string | Buffer, ...args: string[]) => runFrom('-', content, ...args);

  describe('POST /erasures/repeat', () => {
    it('erases again what a restored backup has, as the receipts say', async () => {
      await suppress(world, world.alice, [ADA, BOB]);
      const kept = await erase(ADA, { keep_block: true, reference: 'Case 1' });
      const gone = later(await erase(BOB, { keep_block: false, reference: 'Case 2' }));
      expect(JSON.stringify([kept, gone])).not.toMatch(/lovelace|bob@/);
      await restore();
      expect(tracesIn(await dump(world))).not.toEqual([]);
      const { body } = await repeat([kept, gone]).expect(200);
      expect(body).toEqual({
        object: 'repeated_erasures',
        found: expect.arrayContaining([kept.pseudonym, gone.pseudonym]),
        reported_since: [],
        next: null,
      });
      await until(async () => {
        await sweep();
        return (await repeat([kept, gone]).expect(200)).body.found.length === 0;
      });
      expect(tracesIn(await dump(world))).toEqual([]);
      expect(await verdicts()).toEqual(['suppressed', 'send']);
      const { body: list } = await world.as(world.alice).get('/suppressions').expect(200);
      expect(list.data).toMatchObject([{ email: kept.pseudonym }]);
    });

    it('erases a block completely that a restored backup still keeps', async () => {
      await suppress(world, world.alice, [ADA, BOB]);
      const kept = await erase(ADA, { keep_block: true, reference: 'Case 1' });
      const other = await erase(BOB, { keep_block: true, reference: 'Case 2' });
      const gone = later({ ...kept, keep_block: false, reference: 'Case 3' });
      const receipts = [kept, other, gone];
      expect((await repeat(receipts).expect(200)).body.found).toEqual([kept.pseudonym]);
      await until(async () => {
        await sweep();
        return (await repeat(receipts).expect(200)).body.found.length === 0;
      });
      expect(await verdicts()).toEqual(['send', 'suppressed']);
      const left = [...(await dump(world))].filter(([, text]) => text.includes(kept.pseudonym));
      expect(left.map(([table]) => table)).toEqual(['erasures']);
    });

    const cursorOf = (table: string, after: object) =>
      Buffer.from(JSON.stringify({ table, after })).toString('base64url');

    it('refuses what is no receipt, an unknown cursor, and keys that it cannot read', async () => {
      await suppress(world, world.alice, [ADA]);
      const receipt = await erase(ADA, { keep_block: true, reference: 'Case 1' });
      for (const [receipts, more, path] of [
        [[], {}, 'receipts'],
        [[{ ...receipt, key: undefined }], {}, 'receipts'],
        [[{ ...receipt, pseudonym: BOB }], {}, 'receipts'],
        [[{ ...receipt, created_at: { toString: 1 } }], {}, 'receipts'],
        [[receipt], { after: 'x' }, 'after'],
        [[receipt], { after: cursorOf('suppression_changes', ['x']) }, 'after'],
        [[receipt], { after: cursorOf('suppressions', ['\0']) }, 'after'],
        [[receipt], { after: cursorOf('jobs', []) }, 'after'],
        [[receipt], { after: cursorOf('suppressions', { 0: ADA, length: 1 }) }, 'after'],
      ] as const) {
        const { body } = await repeat([...receipts], more).expect(400);
        expect(body.errors[0].path).toBe(path);
      }
      await restore();
      const refused = await repeat([{ ...receipt, key: 'AAAA' }]).expect(503);
      expect(refused.body.code).toBe('kept_blocks_unreadable');
      const other = { ...receipt, pseudonym: `erased-${'a'.repeat(26)}@erased.invalid` };
      expect((await repeat([other]).expect(200)).body.found).toEqual([]);
    });
  });

  describe('suppressions person erase --from', () => {
    it('repeats the erasures of a file, and waits for them', async () => {
      await suppress(world, world.alice, [ADA, BOB]);
      const gone = later(await erase(BOB, { keep_block: false, reference: 'Case 2' }));
      await restore();
      expect(await run('{"pseudonym": "x"}\n')).toMatchObject({ code: 2 });
      expect(await run('', '--keep-block')).toMatchObject({ code: 2 });
      expect(await runFrom('missing.ndjson', '')).toMatchObject({
        code: 1,
        problems: ['missing.ndjson cannot be read: it does not exist. Nothing was erased.'],
      });
      const { code, stdout } = await run(`${JSON.stringify(gone)}\n`);
      expect([code, stdout]).toEqual([0, 'Erased 1 address again, of 1 receipts.\n']);
      expect(await verdicts()).toEqual(['suppressed', 'send']);
    });

    it('reads receipts in UTF-16, as PowerShell redirects output', async () => {
      const receipt = await erase(BOB, { keep_block: false, reference: 'Case 2' });
      const written = Buffer.from(`\ufeff${JSON.stringify(receipt)}\r\n`, 'utf16le');
      expect(await run(written)).toMatchObject({ stdout: 'Erased 0 addresses again, of 1 receipts.\n' });
      const { problems } = await run(written.subarray(2));
      expect(problems).toEqual([expect.stringContaining('NUL character. Nothing was erased.')]);
    });

    it('repeats only the latest erasure of an address, however long the file is', async () => {
      await suppress(world, world.alice, [ADA, BOB]);
      const gone = later(await erase(BOB, { keep_block: false, reference: 'Case 2' }));
      await restore();
      const others = Array.from({ length: 500 }, (_, index) => ({
        ...gone,
        pseudonym: `erased-${'a'.repeat(20)}${String(index)
          .padStart(6, '0')
          .replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)}@erased.invalid`,
      }));
      const file = [gone, ...others, later({ ...gone, keep_block: true }, 30)].map((receipt) =>
        JSON.stringify(receipt),
      );
      expect(await run(`${file.join('\n')}\n`)).toMatchObject({ code: 0 });
      const kinds = await world.database.query('SELECT keep_block FROM erasures WHERE account_id = $1', [
        world.acme.id,
      ]);
      expect(kinds).toEqual([{ keep_block: false }]);
    });

    it('leaves what was reported after the erasure, and says so', async () => {
      await suppress(world, world.alice, [ADA, BOB]);
      const gone = await erase(BOB, { keep_block: false, reference: 'Case 2' });
      await restore();
      const { code, stdout } = await run(`${JSON.stringify(gone)}\n`);
      expect([code, stdout]).toEqual([
        0,
        `Not erased, because it was suppressed or opted out after the erasure: ${gone.pseudonym} (Case 2)\n` +
          'Erased 0 addresses again, of 1 receipts.\n',
      ]);
      expect(await verdicts()).toEqual(['suppressed', 'suppressed']);
    });

    it('reads the keys of earlier receipts by the key of the newest one', async () => {
      await suppress(world, world.alice, [ADA, BOB]);
      const kept = await erase(ADA, { keep_block: true, reference: 'Case 1' });
      const newest = later(await erase(BOB, { keep_block: true, reference: 'Case 2' }));
      await restore();
      const letter = (digit: string) => 'abcdefghij'[Number(digit)]!;
      const others = Array.from({ length: 500 }, (_, index) => ({
        ...kept,
        key: 'AAAA',
        pseudonym: `erased-${'a'.repeat(20)}${String(index).padStart(6, '0').replaceAll(/\d/g, letter)}@erased.invalid`,
      }));
      const file = [...others, newest].map((receipt) => JSON.stringify(receipt));
      expect((await run(`${file.join('\n')}\n`)).stdout).toContain('Erased 1 address again');
    });
  });
});

describe('while an address is erased, and afterwards', () => {
  const KEPT = { keep_block: true, reference: 'Case 4711' };

  const COMPLETE = { keep_block: false, reference: 'Case 4712', accept_may_be_mailed_again: true };

  const PATH = encodeURIComponent(ADA);

  let world: World;

  beforeEach(async () => (world = await withNewAccounts(service)));

  const alice = () => world.as(world.alice);

  const erase = (body: object = KEPT) => alice().post(`/contacts/${PATH}/erase`).send(body);

  const eraseFully = (body: object = KEPT) => untilErased(world, async () => erase(body));

  /** Also if the background work has the erasure just now. */
  const untilItFails = (body: object = KEPT) =>
    until(async () => {
      await letInstancesLearn(world);
      return (await erase(body)).status === 500;
    });

  const tables = async (): Promise<string[]> => tracesIn(await dump(world));

  const verdict = async (): Promise<string> => {
    const { body } = await alice()
      .post('/suppressions/check')
      .send({ emails: [ADA] })
      .expect(200);
    return body.data[0].verdict;
  };

  const inProgress = async (body: object) =>
    expect((await erase(body).expect(409)).body.code).toBe('erasure_in_progress');

  describe('while an erasure that keeps the block rewrites tables', () => {
    it('the revert of a lift stores the pseudonym, although its lines still have the address', async () => {
      await alice().post('/events').send({ type: 'bounce', email: ADA, status: '5.1.1' }).expect(200);
      const query = { cause: 'bounce', created_after: '2020-01-01T00:00:00Z' };
      const lift = await countLift(world, world.alice, query);
      expect(await applyLift(world, world.alice, lift.id)).toMatchObject({ applied: 1 });
      const rule = { pattern: 'example.com', effect: 'block', note: `As ${ADA} asked` };
      await alice().post('/rules').send(rule).expect(201);
      await failAt(world, 'rules', 'UPDATE');
      await erase().expect(202);
      await untilItFails();
      expect((await dump(world)).get('lift_lines')).toContain(ADA);
      const { text } = await alice().get(`/contacts/${PATH}/data`).expect(200);
      const { tables: found } = JSON.parse(text) as { tables: { table: string; data: object[] }[] };
      expect(found.find(({ table }) => table === 'lift_lines')!.data).toMatchObject([{ is_quote: false }]);
      expect(found.find(({ table }) => table === 'delivery_events')!.data).toMatchObject([
        { is_quote: false },
      ]);
      expect(await revertLift(world, world.alice, lift.id)).toMatchObject({ reverted: 1 });
      const stored = await dump(world);
      expect([stored.get('suppressions'), stored.get('suppression_changes')].join()).not.toContain(ADA);
      await world.database.query('DROP TRIGGER failure ON rules');
      await eraseFully();
      expect(await tables()).toEqual([]);
      expect(await verdict()).toBe('suppressed');
    });
  });

  describe('another erasure of the same address', () => {
    it('waits until the one that keeps the block has ended', async () => {
      await suppress(world, world.alice, [ADA]);
      await erase().expect(202);
      await inProgress(COMPLETE);
      await inProgress({ ...KEPT, reference: 'Case 4713' });
      expect(await eraseFully()).toMatchObject(KEPT);
      expect(await eraseFully(COMPLETE)).toMatchObject({ keep_block: false, reference: 'Case 4712' });
      expect(await verdict()).toBe('send');
    });

    it('waits until the complete one has ended, and returns its own receipt meanwhile if it had ended before', async () => {
      await suppress(world, world.alice, [ADA]);
      const receipt = await eraseFully();
      const job = await fakeImport(world);
      await erase(COMPLETE).expect(202);
      await inProgress({ ...KEPT, reference: 'Case 4713' });
      expect((await erase().expect(200)).body).toEqual(receipt);
      await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
      await eraseFully(COMPLETE);
      expect(await verdict()).toBe('send');
    });
  });

  describe('an export of choices', () => {
    it('has those whose address gets a pseudonym that sorts before what was already read', async () => {
      const zoe = 'zoe@example.com';
      const { body: topic } = await alice()
        .post('/topics')
        .send({ name: 'News', default_subscription: 'opt_in' })
        .expect(201);
      await alice()
        .post('/contacts')
        .send({ email: zoe, topics: [{ id: 'news', subscription: 'opt_out' }] })
        .expect(201);
      await world.database.query(
        `INSERT INTO topic_preferences (account_id, email, topic_id, subscription, contact_id, via)
      SELECT $1, 'm' || number || '@example.com', $2, 'opt_in', gen_random_uuid(), 'api' FROM generate_series(10000, 15000) AS number`,
        [world.acme.id, topic.id],
      );
      const pages = world.app.get(PreferencePagesRepository).read(world.acme.id, topic.id, 0);
      const first = await pages.next();
      expect(first.value).toHaveLength(5_000);
      const { pseudonym } = await untilErased(world, async () =>
        alice()
          .post(`/contacts/${encodeURIComponent(zoe)}/erase`)
          .send(KEPT),
      );
      const rest: string[] = [];
      for await (const page of pages) {
        rest.push(...page.map(({ email, subscription }) => `${email} ${subscription}`));
      }
      expect(rest).toEqual(['m15000@example.com opt_in', `${pseudonym} opt_out`]);
      const { text } = await alice().get('/exports?topic=news').expect(200);
      expect(text.split(pseudonym)).toHaveLength(2);
    });
  });

  describe('the file of an import that began after an erasure', () => {
    it('is not waited for', async () => {
      await suppress(world, world.alice, [ADA]);
      await untilAnnounced(world, () => erase());
      const id = 'ffffffff-0000-7000-8000-000000000000';
      await world.database.query(
        `INSERT INTO jobs (account_id, id, kind, status, checkpoint, leased_until) VALUES ($1, $2, 'import', 'uploading', '{}', 'infinity')`,
        [world.acme.id, id],
      );
      await world.database.query(
        'INSERT INTO job_pieces (account_id, job_id, number, data) VALUES ($1, $2, 0, $3)',
        [world.acme.id, id, gzipSync(`email\n${ADA}\n`)],
      );
      await eraseFully();
      await world.database.query('DELETE FROM jobs WHERE id = $1', [id]);
    });
  });

  describe('an erasure', () => {
    it('goes on between storing and announcing a block, although earlier work was queued again', async () => {
      await suppress(world, world.alice, [ADA]);
      await failAt(world, 'kept_blocks', 'UPDATE');
      await erase().expect(500);
      const job = await fakeImport(world);
      await world.database.query('DROP TRIGGER failure ON kept_blocks');
      await untilAnnounced(world, () => erase());
      await world.database.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [world.acme.id, job]);
      await eraseFully();
    });

    it.each([
      ['keeps the block', KEPT],
      ['is complete', COMPLETE],
    ])('waits for somebody who deletes a rule for the address, if it %s', async (_kind, body) => {
      const { body: rule } = await alice().post('/rules').send({ pattern: ADA, effect: 'block' }).expect(201);
      if (body.keep_block) {
        // The announcement also changes the account, but not in the transaction that changes rules.
        await untilAnnounced(world, () => erase(body));
      }
      const other = new Client({ connectionString: world.database.url });
      await other.connect();
      await other.query('BEGIN');
      await other.query('UPDATE accounts SET rules_version = gen_random_uuid() WHERE id = $1', [
        world.acme.id,
      ]);
      const erased = eraseFully(body);
      await world.database.untilWaiting();
      await other.query('DELETE FROM rules WHERE account_id = $1 AND id = $2', [world.acme.id, rule.id]);
      await other.query('COMMIT');
      await other.end();
      expect((await erased).status).toBe('completed');
    });
  });

  describe('the contact of an erased address', () => {
    const contactId = async (): Promise<string> =>
      (await alice().get(`/contacts/${PATH}`).expect(200)).body.id;

    it('is not changed by its id while the block is being deleted', async () => {
      await alice().post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
      await suppress(world, world.alice, [ADA]);
      await eraseFully();
      const id = await contactId();
      await untilAnnounced(world, () => erase(COMPLETE));
      const topics = [{ id: 'news', subscription: 'opt_out' }];
      for (const write of [
        () => alice().patch(`/contacts/${id}`).send({ unsubscribed: true }),
        () => alice().patch(`/contacts/${id}/topics`).send(topics),
      ]) {
        expect((await write().expect(503)).body.code).toBe('address_being_erased');
      }
      await eraseFully(COMPLETE);
      expect(await verdict()).toBe('send');
    });

    it('is not registered again by an instance that still knows the block', async () => {
      await suppress(world, world.alice, [ADA]);
      const { pseudonym } = await eraseFully();
      const names = world.app.get(StoredNames);
      const [{ version }] = (await world.database.query<{ version: string }>(
        'SELECT kept_blocks_version AS version FROM accounts WHERE id = $1',
        [world.acme.id],
      )) as [{ version: string }];
      await failAt(world, 'suppression_changes', 'UPDATE');
      await untilAnnounced(world, () => erase(COMPLETE));
      await untilItFails(COMPLETE);
      names.noteVersion(world.acme.id, version, performance.now());
      await alice().get(`/contacts/${PATH}`);
      expect((await dump(world)).get('contacts')).not.toContain(pseudonym);
      await world.database.query('DROP TRIGGER failure ON suppression_changes');
      await eraseFully(COMPLETE);
    });

    it('may be named by both its id and the address', async () => {
      await suppress(world, world.alice, [ADA]);
      await eraseFully();
      const id = await contactId();
      await alice().patch(`/contacts/${id}`).send({ email: ADA, unsubscribed: true }).expect(200);
      await alice()
        .patch(`/contacts/${id}`)
        .send({ email: 'bob@example.com', unsubscribed: true })
        .expect(400);
    });
  });
});

describe('after an erasure that keeps the block,', () => {
  const KEPT = { keep_block: true, reference: 'Case 4711' };
  const PATH = encodeURIComponent(ADA);

  let world: World;
  beforeEach(async () => (world = await withNewAccounts(service)));

  const alice = () => world.as(world.alice);
  const erase = (body: object = KEPT) => alice().post(`/contacts/${PATH}/erase`).send(body);
  const eraseFully = (body: object = KEPT) => untilErased(world, async () => erase(body));
  const report = (type: string, email = ADA) =>
    alice().post('/events').send({ type, email, status: '5.1.1' }).expect(200);
  const choose = (subscription: string, id = 'news') =>
    alice().patch(`/contacts/${PATH}/topics`).send([{ id, subscription }]).expect(200);
  const createTopic = (name = 'News') =>
    alice().post('/topics').send({ name, default_subscription: 'opt_in' }).expect(201);
  const tables = async (): Promise<string[]> => tracesIn(await dump(world));
  const causes = async (): Promise<string[]> => {
    const { body } = await alice().get(`/suppressions/${PATH}?include=causes`).expect(200);
    return body.causes.map(({ cause }: { cause: string }) => cause);
  };
  const check = async (body: object = {}): Promise<{ verdict: string }> => {
    const { body: checked } = await alice()
      .post('/suppressions/check')
      .send({ emails: [ADA], ...body })
      .expect(200);
    return checked.data[0];
  };
  const cursor = async (): Promise<string> =>
    (await alice().get('/changes?limit=100').expect(200)).body.cursor;

  /** Lets a program that knows nothing of kept blocks store the address again. */
  async function withoutKnowingTheBlock(work: () => Promise<unknown>): Promise<void> {
    const { id } = world.acme;
    const [block] = await world.database.query<{ row: string }>(
      'DELETE FROM kept_blocks WHERE account_id = $1 RETURNING to_jsonb(kept_blocks) AS row',
      [id],
    );
    await world.database.query('UPDATE accounts SET kept_blocks_version = NULL WHERE id = $1', [id]);
    skipTime(5_000);
    await work();
    await world.database.query(
      'INSERT INTO kept_blocks SELECT * FROM jsonb_populate_record(NULL::kept_blocks, $1)',
      [block!.row],
    );
    await world.database.query('UPDATE accounts SET kept_blocks_version = gen_random_uuid() WHERE id = $1', [
      id,
    ]);
    skipTime(5_000);
  }

  describe('an address that was stored again although its block was kept', () => {
    it('is merged into its pseudonym when the erasure is repeated: whatever blocks it stays', async () => {
      await createTopic();
      await createTopic('Offers');
      await report('bounce');
      await choose('opt_in');
      await choose('opt_in', 'offers');
      await alice().get(`/contacts/${PATH}`).expect(200);
      await alice().post('/rules').send({ pattern: ADA, effect: 'allow' }).expect(201);
      const ofTopic = { pattern: ADA, effect: 'block', topic: 'news' };
      await alice()
        .post('/rules')
        .send({ ...ofTopic, expires_at: '2999-01-01' })
        .expect(201);
      await alice().delete(`/suppressions/${PATH}`).expect(200);
      await report('unsubscribe');
      const { pseudonym } = await eraseFully();
      let stray = '';
      await withoutKnowingTheBlock(async () => {
        await suppress(world, world.alice, [ADA]);
        await alice().delete(`/suppressions/${PATH}`).expect(200);
        const entry = { email: ADA, expires_at: '2999-01-01' };
        stray = (await alice().post('/suppressions').send(entry).expect(201)).body.id;
        await report('complaint');
        await choose('opt_out');
        await choose('opt_in', 'offers');
        await alice().get(`/contacts/${PATH}`).expect(200);
        await alice().post('/rules').send({ pattern: ADA, effect: 'block' }).expect(201);
        await alice().post('/rules').send(ofTopic).expect(201);
      });
      expect((await tables()).length).toBeGreaterThan(4);
      await eraseFully({ ...KEPT, reference: 'Case 4712' });
      expect(await tables()).toEqual([]);
      const { body: record } = await alice().get(`/suppressions/${PATH}?include=causes`).expect(200);
      expect(record.causes).toMatchObject([
        { cause: 'complaint', expires_at: null },
        { cause: 'unsubscribe', expires_at: null },
        { cause: 'manual', expires_at: '2999-01-01T00:00:00.000Z' },
      ]);
      expect((await alice().get('/rules').expect(200)).body.data).toMatchObject([
        { effect: 'block', expires_at: null },
        { effect: 'block', expires_at: null },
      ]);
      const { body: topics } = await alice().get(`/contacts/${PATH}/topics`).expect(200);
      expect(topics.data).toMatchObject([
        { name: 'Offers', subscription: 'opt_in' },
        { name: 'News', subscription: 'opt_out' },
      ]);
      const { body: list } = await alice().get('/suppressions').expect(200);
      expect(list.data).toMatchObject([{ email: pseudonym }]);
      const { body: feed } = await alice().get('/changes?limit=100').expect(200);
      expect(feed.data).toContainEqual(
        expect.objectContaining({
          type: 'contact.erased',
          erased: { suppression_id: stray },
          suppression: null,
        }),
      );
      const past = { as_of: feed.cursor };
      expect((await check(past)).verdict).toBe('suppressed');
      expect((await check({ ...past, topic: 'news' })).verdict).toBe('suppressed');
    });

    it('gets its pseudonym when the erasure is repeated, even if nothing else has it', async () => {
      await createTopic();
      await eraseFully();
      await withoutKnowingTheBlock(async () => {
        await suppress(world, world.alice, [ADA]);
        await choose('opt_out');
      });
      await eraseFully({ ...KEPT, reference: 'Case 4712' });
      expect(await tables()).toEqual([]);
      expect(await causes()).toEqual(['manual']);
      expect((await check({ topic: 'news' })).verdict).toBe('suppressed');
    });

    it('announces nothing again when the erasure is repeated, and nothing was stored', async () => {
      await suppress(world, world.alice, [ADA]);
      await eraseFully();
      const before = await cursor();
      await eraseFully({ ...KEPT, reference: 'Case 4712' });
      expect(await cursor()).toBe(before);
    });
  });

  describe('what an instance knows about kept blocks', () => {
    const OTHERS = 2_500;
    /** The instance knows this block, and could not learn it again. */
    const spoil = () =>
      world.database.query(
        `UPDATE kept_blocks SET filter = filter + 1, announced_at = announced_at - interval '2 hours' WHERE account_id = $1`,
        [world.acme.id],
      );
    const eraseOther = (body: object) =>
      untilErased(world, async () => alice().post(`/contacts/${OTHER}/erase`).send(body));

    it('is read once: another erasure adds to it, until a block is deleted', async () => {
      await suppress(world, world.alice, [ADA, OTHER]);
      await eraseFully();
      expect((await check()).verdict).toBe('suppressed');
      await spoil();
      await eraseOther(KEPT);
      expect((await check({ emails: [OTHER] })).verdict).toBe('suppressed');
      expect((await check()).verdict).toBe('suppressed');
      await eraseOther({ ...KEPT, keep_block: false, accept_may_be_mailed_again: true });
      expect((await check({ emails: [OTHER] })).verdict).toBe('send');
      expect((await check()).verdict).toBe('send');
    });

    it('includes all blocks of an account that has more than a slice of them', async () => {
      await suppress(world, world.alice, [ADA]);
      await world.database.query(
        `INSERT INTO kept_blocks (account_id, pseudonym, filter, announced_at, renamed_at)
      SELECT $1, 'erased-' || number, number, '2026-01-01', '2026-01-01' FROM generate_series(1, ${OTHERS}) AS number`,
        [world.acme.id],
      );
      await eraseFully();
      expect((await check()).verdict).toBe('suppressed');
      await suppress(world, world.alice, [OTHER]);
      await eraseOther(KEPT);
      expect((await check({ emails: [OTHER] })).verdict).toBe('suppressed');
      expect((await check()).verdict).toBe('suppressed');
    });
  });

  describe('a chunk of an import that was read before an address in it was erased', () => {
    const write = async (topicId: string | null): Promise<unknown> => {
      const reported = {
        email: ADA as EmailAddress,
        cause: 'unsubscribe' as const,
        emailId: null,
        occurredAt: null,
        eventId: null,
        note: `As ${ADA} asked`,
        expiresAt: null,
        row: 1,
        latestAt: new Date('2020-01-01'),
      };
      const actor = { type: 'import' as const, id: '01900000-0000-7000-8000-000000000000', name: 'file.csv' };
      const entries = { topicId, addresses: [[reported]], superseded: new Set<never>(), listed: undefined };
      const identity = { accountId: world.acme.id, actor };
      return transactionBefore(
        world.app.get(DataSource),
        { deadline: performance.now() + 10_000 },
        (transaction) => world.app.get(ChunkWriter).write(identity, entries, transaction),
      );
    };

    it.each(['topic', 'list'])('stores the pseudonym, if it is for a %s, and pauses before', async (kind) => {
      const { body: topic } = await createTopic();
      const topicId = kind === 'topic' ? (topic.id as string) : null;
      await untilAnnounced(world, () => erase());
      await expect(write(topicId)).rejects.toThrow(AddressBeingErasedError);
      await eraseFully();
      await write(topicId);
      expect(await tables()).toEqual([]);
      expect((await check(kind === 'topic' ? { topic: 'news' } : {})).verdict).toBe('suppressed');
    });

    it.each(['topic', 'list'])(
      'finds what was withdrawn under the pseudonym since, for a %s',
      async (kind) => {
        const { body: topic } = await createTopic();
        const topicId = kind === 'topic' ? (topic.id as string) : null;
        await eraseFully();
        await write(topicId);
        await alice().delete(`/suppressions/${PATH}`);
        await choose('opt_in');
        await expect(write(topicId)).rejects.toThrow(SupersededError);
      },
    );
  });

  describe('texts that come without the address', () => {
    const consent = { kind: 'recipient_request', reference: `The mail of <${ADA.toUpperCase()}>.` };

    it('are stored with its pseudonym: the consent of a lift', async () => {
      await eraseFully();
      await report('bounce', OTHER);
      const lift = await countLift(world, world.alice, {
        cause: 'bounce',
        created_after: '2020-01-01T00:00:00Z',
      });
      await applyLift(world, world.alice, lift.id, { consent });
      expect(await tables()).toEqual([]);
      expect((await dump(world)).get('suppression_changes')).toContain('The mail of <erased-');
    });

    it('are stored with its pseudonym: a removal by the id of the record, and a choice by the id of the contact', async () => {
      await createTopic();
      const [id] = await suppress(world, world.alice, [ADA]);
      await eraseFully();
      const { body: contact } = await alice().get(`/contacts/${PATH}`).expect(200);
      await alice()
        .delete(`/suppressions/${id}`)
        .send({ consent, note: `${ADA} called` })
        .expect(200);
      for (const subscription of ['opt_out', 'opt_in']) {
        await alice()
          .patch(`/contacts/${contact.id}/topics`)
          .send({ topics: [{ id: 'news', subscription }], consent, note: `${ADA} called` })
          .expect(200);
      }
      const note = `As ${ADA} asked`;
      await alice().post('/rules').send({ pattern: 'example.com', effect: 'block', note }).expect(201);
      expect(await tables()).toEqual([]);
      expect((await dump(world)).get('suppression_changes')).toContain('The mail of <erased-');
    });
  });

  describe('the verdict in the past', () => {
    it('is the same after an erasure that keeps the block of an address with an earlier record', async () => {
      await suppress(world, world.alice, [ADA]);
      await alice().delete(`/suppressions/${PATH}`).expect(200);
      await suppress(world, world.alice, [ADA]);
      await eraseFully();
      expect((await check({ as_of: await cursor() })).verdict).toBe('suppressed');
      for (const type of ['bounce', 'complaint', 'unsubscribe']) {
        await report(type);
      }
      await alice().delete(`/suppressions/${PATH}?cause=bounce`);
      expect((await check({ as_of: await cursor() })).verdict).toBe('suppressed');
    });
  });
});
