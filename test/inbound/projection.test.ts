import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { transactionBefore } from '../../src/database/prepared-statement.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { NewEvent } from '../../src/inbound/projection/new-event.js';
import { SoftFailuresRepository } from '../../src/inbound/projection/soft-failures.repository.js';
import type { StoredOptions } from '../../src/inbound/sources/source.entity.js';
import {
  createSource,
  postResend,
  postWithCredential,
  readInbox,
  readLedger,
  readList,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;

type Fact = 'bounce' | 'complaint' | 'manual' | 'unsubscribe' | 'resubscribe' | 'removed' | 'listed';

/** What Resend tells of one address. */
function factOf(fact: Fact, email: string, at = new Date()) {
  const created_at = at.toISOString();
  switch (fact) {
    case 'unsubscribe':
    case 'resubscribe':
      return {
        type: 'contact.updated',
        created_at,
        data: { email, unsubscribed: fact === 'unsubscribe', updated_at: created_at },
      };
    case 'removed':
      return { type: 'suppression.removed', created_at, data: { email } };
    case 'listed':
      return { type: 'email.suppressed', created_at, data: { email_id: randomUUID(), to: [email] } };
    default:
      return {
        type: 'suppression.added',
        created_at,
        data: { email, origin: fact, source_id: randomUUID() },
      };
  }
}

describe('what an event does to the list', () => {
  let world: World;
  let resend: TestSource;
  let other: TestSource;
  let email: string;
  beforeAll(async () => {
    world = await createWorld();
    resend = await createSource(world, 'resend', { name: 'resend-main' });
    other = await createSource(world, 'resend', { name: 'resend-other' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  const tell = async (fact: Fact, { source = resend, at = new Date() } = {}) => {
    const { status } = await postResend(world, source, factOf(fact, email, at));
    expect(status).toBe(200);
  };
  const waiting = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  };
  const record = async () => (await readList(world)).find((row) => row.email === email);

  it('a stronger cause is taken, with the mail that caused it; id and time stay', async () => {
    await tell('bounce');
    const bounced = await record();
    await tell('complaint');
    const complained = await record();
    expect(complained).toMatchObject({
      id: bounced!.id,
      created_at: bounced!.created_at,
      cause: 'complaint',
      email_id: expect.not.stringContaining(bounced!.email_id!),
    });
    expect(await readLedger(world, email)).toEqual([
      'added bounce by resend-main',
      'strengthened complaint by resend-main',
    ]);
  });

  it.each<[Fact, Fact]>([
    ['complaint', 'bounce'],
    ['complaint', 'unsubscribe'],
    ['complaint', 'manual'],
    ['unsubscribe', 'manual'],
    ['manual', 'bounce'],
    ['bounce', 'bounce'],
    ['bounce', 'listed'],
    ['complaint', 'listed'],
  ])('after %s, %s changes nothing', async (first, second) => {
    await tell(first);
    const before = await record();
    await tell(second, { source: other });
    expect(await record()).toEqual(before);
    expect(await readLedger(world, email)).toHaveLength(1);
  });

  it('an address on the list of the provider is added where it is missing', async () => {
    await tell('listed');
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  it('what is told again of a record waits for nobody who holds it', async () => {
    await tell('complaint');
    const row = await world.database.lockRow('suppressions', `email = '${email}'`);
    const again = await Promise.allSettled([tell('complaint'), tell('bounce'), tell('listed')]);
    await row.release();
    expect(again.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const met = await world.database.query(
      'SELECT suppression_id, outcome FROM delivery_events WHERE recipient = $1',
      [email],
    );
    const { id } = (await record())!;
    expect(met.filter(({ suppression_id }) => suppression_id === id)).toHaveLength(4);
  });

  it('what a person added stays theirs, although it bounces', async () => {
    await suppress(world, world.alice, [email]);
    await tell('bounce');
    expect(await readLedger(world, email)).toEqual(['added manual by alice']);
  });

  describe('a resubscribe', () => {
    let postmark: TestSource;
    let otherPostmark: TestSource;
    beforeAll(async () => {
      postmark = await createSource(world, 'postmark', { name: 'postmark-main' });
      otherPostmark = await createSource(world, 'postmark', { name: 'postmark-other' });
    });

    /** What Postmark tells of one address in one stream. */
    const change = async (fact: Fact, { source = postmark, at = new Date(), stream = 'outbound' } = {}) => {
      const reasons = new Map([
        ['bounce', 'HardBounce'],
        ['complaint', 'SpamComplaint'],
      ]);
      const { status } = await postWithCredential(world, source, {
        RecordType: 'SubscriptionChange',
        MessageID: randomUUID(),
        MessageStream: stream,
        Recipient: email,
        Origin: fact === 'manual' ? 'Admin' : 'Recipient',
        SuppressSending: fact !== 'resubscribe',
        SuppressionReason: fact === 'resubscribe' ? null : (reasons.get(fact) ?? 'ManualSuppression'),
        ChangedAt: at.toISOString(),
      });
      expect(status).toBe(200);
    };
    it('takes back the unsubscribe of the same source', async () => {
      await change('unsubscribe');
      await change('resubscribe');
      expect(await record()).toBeUndefined();
      expect(await readLedger(world, email)).toEqual([
        'added unsubscribe by postmark-main',
        'removed unsubscribe by postmark-main',
      ]);
    });

    it.each<[string, () => Promise<void>]>([
      ['another source', () => change('unsubscribe', { source: otherPostmark })],
      ['a person', async () => void (await suppress(world, world.alice, [email]))],
    ])('does nothing to the record of %s', async (_whose, make) => {
      await make();
      await change('resubscribe');
      expect(await record()).toBeDefined();
    });

    it.each<Fact>(['bounce', 'complaint', 'manual'])('does nothing to a %s', async (fact) => {
      await change(fact);
      await change('resubscribe');
      expect(await record()).toMatchObject({ cause: fact });
    });

    it('does nothing to an unsubscribe that was a bounce before, or a complaint since', async () => {
      await change('bounce');
      await change('unsubscribe');
      await change('resubscribe');
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
      await change('complaint');
      await change('resubscribe');
      expect(await record()).toMatchObject({ cause: 'complaint' });
    });

    it('does nothing when it is older than the unsubscribe, however late it comes', async () => {
      await change('unsubscribe');
      await change('resubscribe', { at: new Date(Date.now() - HOUR_MS) });
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    });

    it('does nothing when the same source told of a later unsubscribe, which met the first one', async () => {
      const [first, second, third] = [3, 2, 1].map((hours) => new Date(Date.now() - hours * HOUR_MS));
      await change('unsubscribe', { at: first });
      await change('unsubscribe', { at: third });
      await change('resubscribe', { at: second });
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    });

    it('does nothing to an older unsubscribe that comes later: that may be from another stream', async () => {
      await change('resubscribe', { at: new Date(Date.now() - 1_000), stream: 'broadcast' });
      await change('unsubscribe', { at: new Date(Date.now() - 3_000) });
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    });

    it('does nothing when anybody told of the address a second time: it may be about another list', async () => {
      await change('unsubscribe');
      await change('unsubscribe', { stream: 'broadcast' });
      await change('resubscribe');
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
      email = `${randomUUID()}@example.com`;
      await change('unsubscribe');
      await change('bounce');
      await change('resubscribe');
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
      email = `${randomUUID()}@example.com`;
      await change('unsubscribe');
      await change('unsubscribe', { source: otherPostmark });
      await change('resubscribe');
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    });
  });

  describe('what is older than a removal of its source that came first', () => {
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS);

    it.each<Fact>(['bounce', 'manual', 'listed'])(
      'does not suppress as %s, and the inbox says why',
      async (fact) => {
        await tell('removed', { at: at(1) });
        await tell(fact, { at: at(3) });
        await tell(fact, { at: at(2) });
        expect(await readLedger(world, email)).toEqual([]);
        const told = await world.database.query(
          `SELECT outcome, suppression_id, reason FROM delivery_events WHERE recipient = $1 AND kind <> 'removed'`,
          [email],
        );
        const overtaken = {
          outcome: 'nothing',
          suppression_id: null,
          reason: 'The same source removed the address later, and reported the removal first.',
        };
        expect(told).toEqual([overtaken, overtaken]);
      },
    );

    it.each<Fact>(['unsubscribe', 'complaint'])('suppresses as %s', async (fact) => {
      await tell('removed', { at: at(1) });
      await tell(fact, { at: at(2) });
      expect(await record()).toMatchObject({ cause: fact });
    });

    it('suppresses when the moments are the same, it is later, or another source told it', async () => {
      const moment = at(1);
      const oneOf = async (options: Parameters<typeof tell>[1]) => {
        email = `${randomUUID()}@example.com`;
        await tell('removed', { at: moment });
        await tell('bounce', options);
        return record();
      };
      expect(await oneOf({ at: moment })).toBeDefined();
      expect(await oneOf({ at: at(0.5) })).toBeDefined();
      expect(await oneOf({ at: at(2), source: other })).toBeDefined();
    });

    it('suppresses when the removal met a record, whether it took that back or not', async () => {
      await tell('bounce', { at: at(3) });
      await tell('removed', { at: at(1) });
      await tell('bounce', { at: at(2) });
      expect(await record()).toMatchObject({ cause: 'bounce' });
      email = `${randomUUID()}@example.com`;
      await suppress(world, world.alice, [email]);
      await tell('removed', { at: at(1) });
      await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
      await tell('bounce', { at: at(2) });
      expect(await record()).toMatchObject({ cause: 'bounce' });
    });
  });

  describe('a removal at the provider', () => {
    it.each<Fact>(['bounce', 'manual'])('takes back a %s of the same source', async (fact) => {
      await tell(fact);
      await tell('removed');
      expect(await record()).toBeUndefined();
    });

    it('takes back a bounce that was told as one of a mail, too', async () => {
      const bounced = {
        type: 'email.bounced',
        created_at: new Date().toISOString(),
        data: {
          email_id: randomUUID(),
          to: [email],
          bounce: { type: 'Permanent', subType: 'General', diagnosticCode: ['550 5.1.1 no such user'] },
        },
      };
      expect((await postResend(world, resend, bounced)).status).toBe(200);
      await tell('bounce');
      await tell('removed');
      expect(await readLedger(world, email)).toEqual([
        'added bounce by resend-main',
        'removed bounce by resend-main',
      ]);
    });

    it('takes back no unsubscribe, which is on no suppression list of Resend', async () => {
      await tell('unsubscribe');
      await tell('removed');
      expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    });

    it('takes back nothing that another source told of, too', async () => {
      await tell('bounce');
      await tell('bounce', { source: other });
      await tell('removed');
      expect(await record()).toMatchObject({ cause: 'bounce' });
    });

    it('takes back no complaint, and nothing that somebody else changed or made', async () => {
      await tell('complaint');
      await tell('removed');
      expect(await record()).toMatchObject({ cause: 'complaint' });
      email = `${randomUUID()}@example.com`;
      await tell('bounce');
      await suppress(world, world.alice, [email]);
      await tell('removed');
      expect(await record()).toMatchObject({ cause: 'manual' });
      email = `${randomUUID()}@example.com`;
      await tell('bounce', { source: other });
      await tell('removed');
      expect(await record()).toMatchObject({ cause: 'bounce' });
    });
  });

  it('events of one address in one delivery are taken in their order', async () => {
    const sparkpost = await createSource(world, 'sparkpost');
    const zed = `zed-${email}`;
    const batch = sparkpostBatch([
      { type: 'bounce', bounce_class: '10', raw_rcpt_to: zed },
      { type: 'bounce', bounce_class: '10', raw_rcpt_to: email },
      { type: 'spam_complaint', fbtype: 'abuse', raw_rcpt_to: email },
      { type: 'link_unsubscribe', raw_rcpt_to: email.toUpperCase() },
      { type: 'spam_complaint', fbtype: 'not-spam', raw_rcpt_to: zed },
    ]);
    expect((await postWithCredential(world, sparkpost, batch)).status).toBe(200);
    expect(await readLedger(world, email)).toEqual([
      'added bounce by sparkpost',
      'strengthened complaint by sparkpost',
    ]);
    expect(await readLedger(world, zed)).toEqual(['added bounce by sparkpost']);
  });

  describe('soft failures', () => {
    const fail = async (source: TestSource, daysAgo = 0, fields = {}) => {
      const timestamp = String(Math.floor(Date.now() / 1000) - daysAgo * DAY_SECONDS);
      const event = {
        type: 'bounce',
        bounce_class: '22',
        raw_reason: '452 mailbox full',
        raw_rcpt_to: email,
      };
      const batch = sparkpostBatch([{ ...event, timestamp, ...fields }]);
      expect((await postWithCredential(world, source, batch)).status).toBe(200);
    };
    const limited = (softLimit?: StoredOptions['softLimit']) =>
      createSource(world, 'sparkpost', { options: softLimit ? { softLimit } : {} });

    it('are counted and never suppress, where nobody said otherwise', async () => {
      const source = await limited();
      for (let count = 0; count < 6; count++) {
        await fail(source);
      }
      expect(await record()).toBeUndefined();
      expect(new Set(await readInbox(world, source))).toEqual(new Set([`${email} bounce watch: counted`]));
    });

    it('suppress as a bounce when they are too many', async () => {
      const source = await limited({ failures: 3, days: 7 });
      await fail(source);
      await fail(source);
      expect(await record()).toBeUndefined();
      await fail(source);
      expect(await record()).toMatchObject({ cause: 'bounce' });
      expect((await readInbox(world, source)).at(-1)).toBe(`${email} bounce watch: added`);
      const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`);
      expect(body.data[0].note).toBe('Too many soft failures, the last one: 452 mailbox full');
    });

    it('are read no more than suffice to suppress, the latest ones', async () => {
      const source = await limited({ failures: 5, days: 7 });
      for (const daysAgo of [2, 0, 3, 1]) {
        await fail(source, daysAgo, { message_id: `mail-${daysAgo}` });
      }
      const deadline = performance.now() + 4_000;
      const found = await transactionBefore(world.app.get(DataSource), deadline, (transaction) => {
        const receivedAt = new Date();
        const event = { id: randomUUID(), receivedAt } as NewEvent;
        const events = new Map([[email as EmailAddress, [event]]]);
        return world.app
          .get(SoftFailuresRepository)
          .find(source, { failures: 2, days: 7 }, events, transaction);
      });
      expect([...found].map(([address, { mails }]) => [address, [...mails.keys()]])).toEqual([
        [email, ['mail-0', 'mail-1']],
      ]);
    });

    it('begin anew when mail arrives, and when a person removes the address', async () => {
      const source = await limited({ failures: 2, days: 7 });
      await fail(source, 2);
      await fail(source, 1, { type: 'delivery' });
      await fail(source);
      expect(await record()).toBeUndefined();
      await fail(source);
      expect(await record()).toBeDefined();
      await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
      await fail(source);
      expect(await record()).toBeUndefined();
    });

    it('do not count when they are too old, of another source, or of the same mail', async () => {
      const source = await limited({ failures: 2, days: 7 });
      await fail(source, 8);
      await fail(await limited({ failures: 2, days: 7 }));
      await fail(source, 0, { message_id: 'abc' });
      await fail(source, 0, { message_id: 'abc' });
      expect(await record()).toBeUndefined();
    });

    it('are counted in the order in which they are told, each with what came before', async () => {
      const source = await limited({ failures: 2, days: 7 });
      const now = Math.floor(Date.now() / 1000);
      const failure = { type: 'bounce', bounce_class: '22' };
      const tellAll = async (...events: Record<string, unknown>[]) => {
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
      expect((await tellAll(failure, failure, arrival)).toSorted()).toEqual(['added', 'counted', 'nothing']);
      expect(
        (await tellAll(arrival, { ...failure, timestamp: String(now - 200) }, failure)).toSorted(),
      ).toEqual(['counted', 'counted', 'nothing']);
      await tellAll(arrival);
      await fail(source, 1);
      await fail(source);
      expect(await record()).toBeUndefined();
      expect((await tellAll(failure, arrival, failure)).toSorted()).toEqual([
        'counted',
        'counted',
        'nothing',
      ]);
      expect(await record()).toBeUndefined();
    });

    it('begin anew also when the address is removed while one is counted', async () => {
      const source = await limited({ failures: 2, days: 7 });
      await fail(source);
      await fail(source);
      const row = await world.database.lockRow('suppressions', `email = '${email}'`);
      const removal = world
        .as(world.alice)
        .delete(`/suppressions/${email}`)
        .then(({ status }) => status);
      await until(async () => (await waiting()) === 1);
      const failure = fail(source);
      await until(async () => (await waiting()) === 2);
      await row.release();
      expect(await removal).toBe(200);
      await failure;
      expect(await record()).toBeUndefined();
    });

    it('that come at once are counted one after the other', async () => {
      const source = await limited({ failures: 5, days: 7 });
      await Promise.all(Array.from({ length: 5 }, () => fail(source)));
      expect(await readLedger(world, email)).toEqual(['added bounce by sparkpost']);
    });
  });

  it('a large delivery that waits for a record holds up no other account', async () => {
    const softLimit = { failures: 5, days: 7 };
    const large = await createSource(world, 'sparkpost', { options: { softLimit } });
    const foreign = await createSource(world, 'sparkpost', { account: 'globex', options: { softLimit } });
    const failure = { type: 'bounce', bounce_class: '22' };
    const failures = Array.from({ length: 1_000 }, (_, index) => ({
      ...failure,
      raw_rcpt_to: `m${index}-${email}`,
    }));
    await suppress(world, world.alice, [email]);
    const row = await world.database.lockRow('suppressions', `email = '${email}'`);
    const unsubscribe = { type: 'link_unsubscribe', raw_rcpt_to: email };
    const waits = postWithCredential(world, large, sparkpostBatch([...failures, unsubscribe]));
    await until(async () => (await waiting()) === 1);
    const passes = await postWithCredential(
      world,
      foreign,
      sparkpostBatch([{ ...failure, raw_rcpt_to: email }]),
    );
    await row.release();
    expect(passes.status).toBe(200);
    expect((await waits).status).toBe(200);
  });

  it('many deliveries and requests about the same addresses at once end without a deadlock', async () => {
    const sparkpost = await createSource(world, 'sparkpost');
    const emails = Array.from({ length: 20 }, (_, index) => `m${index}-${email}`);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, seed) => {
        const some = emails.filter((__, index) => (index * (seed + 3)) % 5 < 3);
        const shuffled = some.toSorted(
          (a, b) => (((a + seed).length * seed) % 7) - ((b + seed).charCodeAt(1) % 7),
        );
        if (seed % 4 === 0) {
          return (await world.as(world.alice).post('/suppressions/batch/add').send({ emails: shuffled }))
            .status;
        }
        if (seed % 4 === 1) {
          return (await world.as(world.alice).post('/suppressions/batch/remove').send({ emails: shuffled }))
            .status;
        }
        const kinds = [
          { type: 'bounce', bounce_class: '10' },
          { type: 'spam_complaint', fbtype: 'abuse' },
          { type: 'link_unsubscribe' },
        ];
        const batch = sparkpostBatch(
          shuffled.map((raw_rcpt_to, index) => ({ ...kinds[(index + seed) % 3], raw_rcpt_to })),
        );
        return (await postWithCredential(world, sparkpost, [...batch, ...batch.toReversed()])).status;
      }),
    );
    expect(statuses.filter((status) => status > 201)).toEqual([]);
  });
});
