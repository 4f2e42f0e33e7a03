import { DataSource } from 'typeorm';
import { transactionBefore } from '../../src/database/transaction.js';
import { ChunkWriter, SupersededError } from '../../src/imports/chunk-writer.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { AddressBeingErasedError } from '../../src/pseudonyms/errors.js';
import { skipTime } from '../support/clock.js';
import { ADA, dump, tracesIn, untilAnnounced, untilErased } from '../support/erasures.js';
import { applyLift, countLift } from '../support/lifts.js';
import { OTHER } from '../support/places.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const KEPT = { keep_block: true, reference: 'Case 4711' };
const PATH = encodeURIComponent(ADA);

let service: World;
let world: World;
beforeAll(async () => (service = await createWorld()));
beforeEach(async () => (world = await withNewAccounts(service)));
afterAll(() => service.close());

const alice = () => world.as(world.alice);
const erase = (body: object = KEPT) => alice().post(`/contacts/${PATH}/erase`).send(body);
const eraseFully = (body: object = KEPT) => untilErased(world, async () => erase(body));
const report = (type: string, email = ADA) =>
  alice().post('/events').send({ type, email, status: '5.1.1' }).expect(200);
const choose = (subscription: string) =>
  alice()
    .patch(`/contacts/${PATH}/topics`)
    .send([{ id: 'news', subscription }])
    .expect(200);
const createTopic = () =>
  alice().post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
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
const cursor = async (): Promise<string> => (await alice().get('/changes?limit=100').expect(200)).body.cursor;

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
    await report('bounce');
    await choose('opt_in');
    await alice().get(`/contacts/${PATH}`).expect(200);
    await alice().post('/rules').send({ pattern: ADA, effect: 'allow' }).expect(201);
    await alice().delete(`/suppressions/${PATH}`).expect(200);
    await suppress(world, world.alice, [ADA]);
    const { pseudonym } = await eraseFully();
    let stray = '';
    await withoutKnowingTheBlock(async () => {
      [stray] = (await suppress(world, world.alice, [ADA])) as [string];
      await alice().delete(`/suppressions/${PATH}`).expect(200);
      [stray] = (await suppress(world, world.alice, [ADA])) as [string];
      await report('complaint');
      await choose('opt_out');
      await alice().get(`/contacts/${PATH}`).expect(200);
      await alice().post('/rules').send({ pattern: ADA, effect: 'block' }).expect(201);
    });
    expect((await tables()).length).toBeGreaterThan(4);
    await eraseFully({ ...KEPT, reference: 'Case 4712' });
    expect(await tables()).toEqual([]);
    expect(await causes()).toEqual(['complaint', 'manual']);
    expect((await alice().get(`/rules/${PATH}`).expect(200)).body.effect).toBe('block');
    const { body: topics } = await alice().get(`/contacts/${PATH}/topics`).expect(200);
    expect(topics.data[0].subscription).toBe('opt_out');
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
    return transactionBefore(world.app.get(DataSource), performance.now() + 10_000, (transaction) =>
      world.app.get(ChunkWriter).write(identity, entries, transaction),
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

  it.each(['topic', 'list'])('finds what was withdrawn under the pseudonym since, for a %s', async (kind) => {
    const { body: topic } = await createTopic();
    const topicId = kind === 'topic' ? (topic.id as string) : null;
    await eraseFully();
    await write(topicId);
    await alice().delete(`/suppressions/${PATH}`);
    await choose('opt_in');
    await expect(write(topicId)).rejects.toThrow(SupersededError);
  });
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
