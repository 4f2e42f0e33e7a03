import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { createCertificate } from '../../support/servers/certificate.js';
import { envelope, signed, TOPIC } from '../../support/servers/sns.js';
import {
  createSource,
  post,
  postWithCredential,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../../support/sources.js';
import { until } from '../../support/until.js';
import { createWorld, suppress, type World } from '../../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('concurrent deliveries', () => {
  let email: string;
  beforeEach(() => (email = `${randomUUID()}@example.com`));

  it('of different accounts do not wait for each other, however large they are', async () => {
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
    await world.database.untilWaiting();
    const passes = await postWithCredential(
      world,
      foreign,
      sparkpostBatch([{ ...failure, raw_rcpt_to: email }]),
    );
    await row.release();
    expect(passes.status).toBe(200);
    expect((await waits).status).toBe(200);
  });

  it('and requests about the same addresses end without a deadlock', async () => {
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

describe('the ids of stored events', () => {
  it('have the order in which their deliveries got the address locks, unless they need none', async () => {
    const source = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    const holder = new Client(world.database.url);
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query(
      `SELECT pg_advisory_lock(hashtext('address ' || accounts.id), number)
       FROM accounts CROSS JOIN generate_series(0, 63) AS number`,
    );
    const soft = { type: 'bounce', bounce_class: '22', raw_rcpt_to: 'soft@example.com' };
    const delivered = { type: 'delivery', raw_rcpt_to: 'delivered@example.com' };
    const answer = postWithCredential(world, source, sparkpostBatch([soft, delivered]));
    await until(async () => {
      const waiting = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
      );
      return waiting.length === 1;
    });
    const [meanwhile] = await world.database.query<{ id: string }>('SELECT uuid_v7() AS id');
    await holder.end();
    expect((await answer).status).toBe(200);
    const stored = await world.database.query<{ kind: string; isLater: boolean }>(
      'SELECT kind, id > $1 AS "isLater" FROM delivery_events WHERE source_id = $2 ORDER BY kind',
      [meanwhile!.id, source.id],
    );
    expect(stored).toEqual([
      { kind: 'bounce', isLater: true },
      { kind: 'delivered', isLater: false },
    ]);
  });
});

const DAY_MS = 86_400_000;
const certificate = createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

describe('a resubscribe that arrives while the same source reports a later bounce', () => {
  let ses: TestSource;
  const realFetch = globalThis.fetch;
  beforeAll(async () => {
    ses = await createSource(world, 'ses', { options: { topicArns: [TOPIC] } });
    globalThis.fetch = async () => new Response(certificate.pem);
  });
  afterAll(() => void (globalThis.fetch = realFetch));

  const deliver = async (eventType: string, emails: string[], about: object) => {
    const event = { eventType, mail: { messageId: randomUUID(), destination: emails }, ...about };
    const fields = { MessageId: randomUUID(), Timestamp: new Date().toISOString() };
    const { status } = await post(world, ses, signed(envelope(event, fields), certificate.privateKey));
    expect(status).toBe(200);
  };
  const subscribe = (email: string, isSubscribed: boolean, secondsAgo: number) =>
    deliver('Subscription', [email], {
      subscription: {
        timestamp: before(secondsAgo),
        oldTopicPreferences: { unsubscribeAll: isSubscribed },
        newTopicPreferences: { unsubscribeAll: !isSubscribed },
      },
    });
  const bounce = (emails: string[], secondsAgo: number) =>
    deliver('Bounce', emails, {
      bounce: {
        timestamp: before(secondsAgo),
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: emails.map((emailAddress) => ({
          emailAddress,
          action: 'failed',
          status: '5.1.1',
        })),
      },
    });

  it('leaves the address suppressed', async () => {
    const held = 'ada@example.com';
    const email = 'zoe@example.com';
    await subscribe(email, false, 30);
    const place = await world.database.lockPlace(ses.accountId, held);
    const later = bounce([held, email], 10);
    await world.database.untilWaiting();
    const lift = subscribe(email, true, 20);
    await world.database.untilWaiting(2);
    await place.release();
    await Promise.all([later, lift]);
    expect(await readLedger(world, email)).toEqual(['added unsubscribe by ses', 'cause_added bounce by ses']);
  });
});

function before(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
