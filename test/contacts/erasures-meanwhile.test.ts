import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { PreferencePagesRepository } from '../../src/exports/preference-pages.repository.js';
import { StoredNames } from '../../src/pseudonyms/stored-names.js';
import {
  ADA,
  dump,
  failAt,
  fakeImport,
  letInstancesLearn,
  tracesIn,
  untilErased,
} from '../support/erasures.js';
import { applyLift, countLift, revertLift } from '../support/lifts.js';
import { until } from '../support/until.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const KEPT = { keep_block: true, reference: 'Case 4711' };
const COMPLETE = { keep_block: false, reference: 'Case 4712', accept_may_be_mailed_again: true };
const PATH = encodeURIComponent(ADA);

let service: World;
let world: World;
beforeAll(async () => (service = await createWorld()));
beforeEach(async () => (world = await withNewAccounts(service)));
afterAll(() => service.close());

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
    expect(found.find(({ table }) => table === 'delivery_events')!.data).toMatchObject([{ is_quote: false }]);
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
    await erase().expect(202);
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
    await erase().expect(202);
    const [{ announced }] = (await world.database.query<{ announced: boolean }>(
      `SELECT (progress -> 'isAnnounced')::boolean AS announced FROM erasures WHERE account_id = $1`,
      [world.acme.id],
    )) as [{ announced: boolean }];
    expect(announced).toBe(true);
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
      await erase(body).expect(202);
    }
    const other = new Client({ connectionString: world.database.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('UPDATE accounts SET rules_version = gen_random_uuid() WHERE id = $1', [world.acme.id]);
    const erased = eraseFully(body);
    await world.database.untilWaiting();
    await other.query('DELETE FROM rules WHERE account_id = $1 AND id = $2', [world.acme.id, rule.id]);
    await other.query('COMMIT');
    await other.end();
    expect((await erased).status).toBe('completed');
  });
});

describe('the contact of an erased address', () => {
  const contactId = async (): Promise<string> => (await alice().get(`/contacts/${PATH}`).expect(200)).body.id;

  it('is not changed by its id while the block is being deleted', async () => {
    await alice().post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    await suppress(world, world.alice, [ADA]);
    await eraseFully();
    const id = await contactId();
    await erase(COMPLETE).expect(202);
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
    await erase(COMPLETE).expect(202);
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
    await alice().patch(`/contacts/${id}`).send({ email: 'bob@example.com', unsubscribed: true }).expect(400);
  });
});
