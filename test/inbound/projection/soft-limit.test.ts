import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { transactionBefore } from '../../../src/database/transaction.js';
import type { EmailAddress } from '../../../src/email-address/email-address.js';
import type { NewEvent } from '../../../src/inbound/projection/event-outcome.js';
import { findSoftFailures } from '../../../src/inbound/projection/rare-facts.js';
import type { SoftLimit } from '../../../src/inbound/sources/source.entity.js';
import { findRecord, reportSoftFailure } from '../../support/facts.js';
import {
  createSource,
  postWithCredential,
  readInbox,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../../support/sources.js';
import { createWorld, suppress, type World } from '../../support/world.js';

describe('soft failures', () => {
  let world: World;
  let email: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  const fail = (source: TestSource, daysAgo = 0, fields = {}) =>
    reportSoftFailure(world, source, email, daysAgo, fields);
  const failTwice = (source: TestSource) => {
    const failure = { type: 'bounce', bounce_class: '22', raw_rcpt_to: email };
    return postWithCredential(world, source, sparkpostBatch([failure, failure]));
  };
  const createLimited = (softLimit?: SoftLimit) =>
    createSource(world, 'sparkpost', { options: softLimit ? { softLimit } : {} });
  const record = () => findRecord(world, email);
  const remove = () => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const removeBounce = () => world.as(world.alice).delete(`/suppressions/${email}?cause=bounce`).expect(200);

  it('are counted and never suppress without a limit', async () => {
    const source = await createLimited();
    for (let count = 0; count < 6; count++) {
      await fail(source);
    }
    expect(await record()).toBeUndefined();
    expect(new Set(await readInbox(world, source))).toEqual(new Set([`${email} bounce watch: counted`]));
  });

  it('suppress as a bounce when they reach the limit', async () => {
    const source = await createLimited({ failures: 3, days: 7 });
    await fail(source);
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
    expect((await readInbox(world, source)).at(-1)).toBe(`${email} bounce watch: added`);
    const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`);
    expect(body.data[0].note).toBe('Too many soft failures, the last one: 452 mailbox full');
  });

  it('from before a removal do not count, although they arrive later', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await suppress(world, world.alice, [email]);
    await remove();
    await fail(source, 1);
    await fail(source, 1);
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  it('add the bounce to an address with a record, so that no mail is sent to it', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await fail(source, 0, { type: 'list_unsubscribe' });
    const check = async () => {
      const body = { emails: [email], transactional: true };
      const response = await world.as(world.alice).post('/suppressions/check').send(body).expect(200);
      return response.body.data[0].verdict;
    };
    await fail(source);
    expect(await check()).toBe('send');
    await fail(source);
    expect(await check()).toBe('suppressed');
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    expect(await readLedger(world, email)).toEqual([
      'added unsubscribe by sparkpost',
      'cause_added bounce by sparkpost',
    ]);
    expect((await readInbox(world, source)).filter((line) => line.startsWith(email))).toEqual([
      `${email} unsubscribe suppress: added`,
      `${email} bounce watch: counted`,
      `${email} bounce watch: cause_added`,
      `${email} bounce watch: counted`,
    ]);
  });

  it('are counted from zero after a person removes the bounce from a record that remains', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await suppress(world, world.alice, [email]);
    await fail(source);
    await fail(source);
    await removeBounce();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'manual', weaker_causes: 0 });
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'manual', weaker_causes: 1 });
  });

  it('are read up to the limit, the latest ones first', async () => {
    const source = await createLimited({ failures: 5, days: 7 });
    for (const daysAgo of [2, 0, 3, 1]) {
      await fail(source, daysAgo, { message_id: `mail-${daysAgo}` });
    }
    const deadline = performance.now() + 4_000;
    const found = await transactionBefore(world.app.get(DataSource), deadline, (transaction) => {
      const receivedAt = new Date();
      const event = { id: randomUUID(), receivedAt } as NewEvent;
      const events = new Map([[email as EmailAddress, [event]]]);
      return findSoftFailures(source, { failures: 2, days: 7 }, events, transaction);
    });
    expect([...found].map(([address, { mails }]) => [address, [...mails.keys()]])).toEqual([
      [email, ['mail-0', 'mail-1']],
    ]);
  });

  it('are counted from zero after mail arrives, and after a person removes the address', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await fail(source, 2);
    await fail(source, 1, { type: 'delivery' });
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
    await remove();
    await fail(source);
    expect(await record()).toBeUndefined();
  });

  it('from before a removal do not count, even if the database clock was set back', async () => {
    const source = await createLimited({ failures: 3, days: 7 });
    await fail(source);
    await fail(source);
    const future = `overlay(id::text PLACING 'fff' FROM 1 FOR 3)::uuid`;
    await world.database.query(`UPDATE delivery_events SET id = ${future} WHERE recipient = $1`, [email]);
    await suppress(world, world.alice, [email]);
    await remove();
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  it('do not count if they are too old, of another source, or of the same mail', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await fail(source, 8);
    await fail(await createLimited({ failures: 2, days: 7 }));
    await fail(source, 0, { message_id: 'abc' });
    await fail(source, 0, { message_id: 'abc' });
    expect(await record()).toBeUndefined();
  });

  it('are counted in the order in which they are reported, each with the earlier ones', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    const now = Math.floor(Date.now() / 1000);
    const failure = { type: 'bounce', bounce_class: '22' };
    const reportAll = async (...events: Record<string, unknown>[]) => {
      email = `${randomUUID()}@example.com`;
      const batch = events.map((event, index) => ({
        raw_rcpt_to: email,
        timestamp: String(now - 100 + index),
        ...event,
      }));
      expect((await postWithCredential(world, source, sparkpostBatch(batch))).status).toBe(200);
      const inbox = await readInbox(world, source);
      return inbox.filter((line) => line.startsWith(email)).map((line) => line.split(': ')[1]);
    };
    const arrival = { type: 'delivery' };
    expect((await reportAll(failure, failure, arrival)).toSorted()).toEqual(['added', 'counted', 'nothing']);
    expect(
      (await reportAll(arrival, { ...failure, timestamp: String(now - 200) }, failure)).toSorted(),
    ).toEqual(['counted', 'counted', 'nothing']);
    await reportAll(arrival);
    await fail(source, 1);
    await fail(source);
    expect(await record()).toBeUndefined();
    expect((await reportAll(failure, arrival, failure)).toSorted()).toEqual([
      'counted',
      'counted',
      'nothing',
    ]);
    expect(await record()).toBeUndefined();
  });

  it.each(['address', 'bounce'])(
    'are also counted from zero if the %s is removed meanwhile',
    async (what) => {
      const source = await createLimited({ failures: 2, days: 7 });
      await fail(source);
      await fail(source);
      if (what === 'bounce') {
        await suppress(world, world.alice, [email]);
      }
      const row = await world.database.lockRow('suppressions', `email = '${email}'`);
      const removal = (what === 'bounce' ? removeBounce() : remove()).then(({ status }) => status);
      await world.database.untilWaiting();
      const failures = failTwice(source);
      await world.database.untilWaiting(2);
      await row.release();
      expect(await removal).toBe(200);
      expect((await failures).status).toBe(200);
      expect((await readLedger(world, email)).at(-1)).toMatch(/removed bounce/);
    },
  );

  it('that arrive at the same time are counted one after the other', async () => {
    const source = await createLimited({ failures: 5, days: 7 });
    await Promise.all(Array.from({ length: 5 }, () => fail(source)));
    expect(await readLedger(world, email)).toEqual(['added bounce by sparkpost']);
  });
});
