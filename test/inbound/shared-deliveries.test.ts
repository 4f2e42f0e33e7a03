import { randomUUID } from 'node:crypto';
import { DeadlineExceededError, markLost } from '../../src/database/errors.js';
import { SharedDeliveries, type Delivery } from '../../src/inbound/inbox/shared-deliveries.js';
import {
  createSource,
  postWithCredential,
  readInbox,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

const BOUNCE = { type: 'bounce', bounce_class: '10' };
const COMPLAINT = { type: 'spam_complaint', fbtype: 'abuse' };

describe('deliveries that arrive together', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => {
    world = await createWorld();
    await world.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused'; END
      $$;
      CREATE TRIGGER refuse BEFORE INSERT ON delivery_events FOR EACH ROW
      WHEN (NEW.recipient LIKE 'bad-%') EXECUTE FUNCTION refuse()`);
  });
  afterAll(() => world.close());
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));

  const deliver = async (events: Record<string, unknown>[]) =>
    (await postWithCredential(world, source, sparkpostBatch(events))).status;
  /** Repeats it after a 503, as a provider does: a busy machine may not store so many in time. */
  const deliverAtLast = async (events: Record<string, unknown>[]): Promise<number> => {
    const status = await deliver(events);
    return status === 503 ? deliverAtLast(events) : status;
  };
  const eventsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...BOUNCE,
      event_id: randomUUID(),
      raw_rcpt_to: `p${index}-${source.id}@example.com`,
    }));
  const countTransactions = async () =>
    (
      await world.database.query('SELECT DISTINCT xmin FROM delivery_events WHERE source_id = $1', [
        source.id,
      ])
    ).length;

  it('share transactions, and each event is applied once although some deliveries are refused', async () => {
    const addresses = Array.from({ length: 20 }, (_, index) => `shared${index}-${source.id}@example.com`);
    const events = Array.from({ length: 160 }, (_, index) => ({
      ...(index % 2 === 0 ? BOUNCE : COMPLAINT),
      event_id: randomUUID(),
      raw_rcpt_to: addresses[Math.floor(index / 2) % addresses.length],
    }));
    const deliveries = [...events, ...events.slice(0, 40)].flatMap((event, index) =>
      index % 20 === 10
        ? [{ ...BOUNCE, raw_rcpt_to: `bad-${index}-${source.id}@example.com` }, event]
        : [event],
    );
    const isBad = (event: { raw_rcpt_to?: string }) => event.raw_rcpt_to!.startsWith('bad-');
    const statuses = await Promise.all(deliveries.map((event) => deliverAtLast([event])));
    expect(statuses).toEqual(deliveries.map((event) => (isBad(event) ? 500 : 200)));
    const stored = await readInbox(world, source);
    expect(stored).toHaveLength(events.length);
    expect(await countTransactions()).toBeLessThan(events.length);
    for (const address of addresses) {
      const ledger = await readLedger(world, address);
      expect([
        ['added bounce by sparkpost', 'strengthened complaint by sparkpost'],
        ['added complaint by sparkpost', 'cause_added bounce by sparkpost'],
      ]).toContainEqual(ledger);
    }
  });

  it('do not wait for one whose address is locked', async () => {
    const held = `held-${source.id}@example.com`;
    await suppress(world, world.alice, [held]);
    const record = await world.database.lockRow('suppressions', `email = '${held}'`);
    const events = eventsOf(20);
    const blocking = { ...COMPLAINT, event_id: randomUUID(), raw_rcpt_to: held };
    const isBlocked = (index: number) => index % 5 === 4;
    const answers = events.map((event, index) => deliver(isBlocked(index) ? [event, blocking] : [event]));
    const others = answers.filter((_, index) => !isBlocked(index));
    expect(await Promise.all(others)).toEqual(others.map(() => 200));
    await record.release();
    await Promise.all(answers);
    await Promise.all(events.map((event) => deliver([event])));
    expect(await deliver([blocking])).toBe(200);
    expect(await readLedger(world, held)).toEqual([
      'added manual by alice',
      'strengthened complaint by sparkpost',
    ]);
    expect(await readInbox(world, source)).toHaveLength(events.length + 1);
  });

  it('do not delay another source for as long as one of them waits', async () => {
    const [held, wanted] = ['held@two-sources.example', 'wanted@two-sources.example'];
    const other = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    await suppress(world, world.alice, [held]);
    const record = await world.database.lockRow('suppressions', `email = '${held}'`);
    const answers = Promise.all(
      eventsOf(30).map((event, index) =>
        deliver([{ ...event, ...COMPLAINT, raw_rcpt_to: index % 2 ? held : wanted }]),
      ),
    );
    await world.database.untilWaiting();
    const soft = { type: 'bounce', bounce_class: '20', event_id: randomUUID(), raw_rcpt_to: wanted };
    const { status } = await postWithCredential(world, other, sparkpostBatch([soft]));
    await record.release();
    await answers;
    expect(status).toBe(200);
    expect(await readInbox(world, other)).toEqual([expect.stringContaining('watch')]);
  });

  it('are each stored once if the connection of their transaction is lost and they are repeated', async () => {
    const events = eventsOf(30);
    const inbox = await world.database.lock('delivery_events');
    const answers = Promise.all(events.map((event) => deliver([event])));
    await world.database.untilWaiting(2);
    await world.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'suppression-list' AND wait_event_type = 'Lock'`,
    );
    await inbox.release();
    expect((await answers).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await Promise.all(events.map((event) => deliverAtLast([event])))).toEqual(events.map(() => 200));
    expect(await readInbox(world, source)).toHaveLength(events.length);
  });

  it('of the mailers of an account each get the results of their own events', async () => {
    const deliveries = Array.from({ length: 40 }, (_, index) =>
      Array.from({ length: (index % 3) + 1 }, (__, event) => `own${index}-${event}@example.com`),
    );
    const isListed = (index: number) => index % 2 === 1;
    await suppress(world, world.alice, deliveries.filter((_, index) => isListed(index)).flat());
    const outcomes = await Promise.all(
      deliveries.map(async (emails) => {
        const events = emails.map((email) => ({ type: 'complaint', email }));
        const { body } = await world.as(world.alice).post('/events').send(events).expect(200);
        return body.data.map(({ outcome }: { outcome: string }) => outcome);
      }),
    );
    const expected = deliveries.map((emails, index) =>
      emails.map(() => (isListed(index) ? 'strengthened' : 'added')),
    );
    expect(outcomes).toEqual(expected);
  });
});

describe('the transactions of deliveries', () => {
  let transactions: { names: string[]; finish(error?: Error): void }[];
  let shared: SharedDeliveries;
  beforeEach(() => {
    transactions = [];
    shared = new SharedDeliveries(
      (deliveries) =>
        new Promise((resolve, reject) => {
          const names = deliveries.map(({ events }) => events[0]!.diagnostic!);
          const results = deliveries.map(({ events }) => events.map(() => ({})));
          const finish = (error?: Error) => (error ? reject(error) : resolve(results as never));
          transactions.push({ names, finish });
        }),
    );
  });

  /** A delivery of one event, named by its recipient unless it says otherwise. */
  const store = (
    recipient: string,
    {
      key = randomUUID(),
      source = 's',
      deadline = Infinity,
    }: { key?: string; source?: string; deadline?: number } = {},
  ) =>
    shared.store({
      source: { id: source },
      events: [{ key, recipient, diagnostic: recipient }],
      deadline,
    } as unknown as Delivery);
  const names = () => transactions.map((transaction) => transaction.names.join());
  const untilStarted = (count: number) => until(() => transactions.length >= count);

  it('have those of one source, in the order of arrival', async () => {
    void store('a');
    void store('b', { source: 'other' });
    void store('c');
    await untilStarted(2);
    expect(names()).toEqual(['a,c', 'b']);
  });

  it('have those that arrived while the previous one ran, and do not wait for it for long', async () => {
    const first = store('a');
    await untilStarted(1);
    void store('b');
    void store('c');
    transactions[0]!.finish();
    await first;
    await untilStarted(2);
    void store('d');
    await untilStarted(3);
    expect(names()).toEqual(['a', 'b,c', 'd']);
  });

  it('do not have the same event twice', async () => {
    void store('a', { key: 'same' });
    void store('b');
    void store('c', { key: 'same' });
    await untilStarted(2);
    expect(names()).toEqual(['a,b', 'c']);
  });

  it('have at most a hundred events', async () => {
    for (let index = 0; index < 101; index++) {
      void store(`m${index}`);
    }
    await untilStarted(2);
    expect(transactions.map((transaction) => transaction.names.length)).toEqual([100, 1]);
  });

  it('are divided if one of many has failed', async () => {
    for (let index = 0; index < 20; index++) {
      void store(`m${index}`);
    }
    await untilStarted(1);
    transactions[0]!.finish(new Error('shared'));
    await untilStarted(11);
    expect(transactions.map((transaction) => transaction.names.length)).toEqual([20, ...Array(10).fill(2)]);
    transactions[10]!.finish(new Error('part'));
    await untilStarted(13);
    expect(names().slice(11)).toEqual(['m18', 'm19']);
  });

  it.each([
    ['connection was lost', () => markLost(new Error('lost')) as Error],
    ['time was over', () => new DeadlineExceededError()],
    ['server is read-only', () => Object.assign(new Error('read-only'), { code: '25006' })],
  ])('are repeated once, together, without those whose time is over, if the %s', async (_, failure) => {
    const stored = ['a', 'b', 'c'].map((name) =>
      store(name, name === 'b' ? { deadline: performance.now() } : {}),
    );
    const settled = Promise.allSettled(stored);
    await untilStarted(1);
    transactions[0]!.finish(failure());
    await untilStarted(2);
    expect(names()).toEqual(['a,b,c', 'a,c']);
    const last = failure();
    transactions[1]!.finish(last);
    const results = (await settled) as PromiseRejectedResult[];
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect([results[0]!.reason, results[2]!.reason]).toEqual([last, last]);
    void store('d', { source: 'other' });
    await untilStarted(3);
    expect(names()).toEqual(['a,b,c', 'a,c', 'd']);
  });

  it.each(['57014', '55P03', '40P01'])('are divided after a failure of class %s', async (code) => {
    void store('a');
    void store('b');
    await untilStarted(1);
    transactions[0]!.finish(Object.assign(new Error('blocked'), { code }));
    await untilStarted(3);
    expect(names()).toEqual(['a,b', 'a', 'b']);
  });

  it('are separate after a shared one has failed, including others about the same addresses', async () => {
    const stored = ['a', 'b'].map((name) => store(name));
    await untilStarted(1);
    transactions[0]!.finish(new Error('shared'));
    await untilStarted(3);
    void store('a');
    void store('c');
    await untilStarted(5);
    expect(names()).toEqual(['a,b', 'a', 'b', 'a', 'c']);
    transactions[1]!.finish();
    transactions[2]!.finish(new Error('own'));
    await expect(stored[0]).resolves.toEqual([{}]);
    await expect(stored[1]).rejects.toThrow('own');
  });
});
