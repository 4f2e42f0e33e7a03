import type { PoolClient } from 'pg';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { skipTime } from '../support/clock.js';
import { observeQueries } from '../support/queries.js';
import { createSource, postWithCredential, readInbox, readList, sparkpostBatch } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

/** Each of two waits is shorter than a statement may take, and both together are longer than a request may. */
const FIRST_WAIT_MS = 2_500;

describe('a delivery that takes too long', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const inTransaction = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'suppression-list' AND state <> 'idle'`,
    );
    return row!.count;
  };

  it.each(['of a provider', "of the account's own mailers"])(
    '%s gets 503 and has no effect',
    async (whose) => {
      const source = await createSource(world, 'sparkpost');
      const held = `held-${source.id}@example.com`;
      await suppress(world, world.alice, [held]);
      const email = `late-${source.id}@example.com`;
      const deliver = (...emails: string[]) =>
        whose === 'of a provider'
          ? postWithCredential(
              world,
              source,
              sparkpostBatch(
                emails.map((raw_rcpt_to) => ({ type: 'spam_complaint', fbtype: 'abuse', raw_rcpt_to })),
              ),
            )
          : world
              .as(world.alice)
              .post('/events')
              .send(emails.map((one) => ({ type: 'complaint', email: one })));
      expect((await deliver('early@example.com')).status).toBe(200);
      const sources = await world.database.lockRow('sources', 'true');
      const record = await world.database.lockRow('suppressions', `email = '${held}'`);
      const answer = deliver(email, held).then(({ status }) => status);
      await world.database.untilWaiting();
      skipTime(FIRST_WAIT_MS);
      await sources.release();
      expect(await answer).toBe(503);
      await record.release();
      await until(async () => (await inTransaction()) === 0);
      expect((await readList(world)).filter((row) => row.email === email)).toEqual([]);
      const stored = await world.database.query('SELECT FROM delivery_events WHERE recipient = $1', [email]);
      expect(stored).toEqual([]);
      expect((await deliver(email, held)).status).toBe(200);
    },
  );
});

describe('a delivery that the database cannot store in time', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('gets 503, and is not recorded as an error of its source', async () => {
    const source = await createSource(world, 'sparkpost');
    const inbox = await world.database.lock('delivery_events');
    const refused = postWithCredential(
      world,
      source,
      sparkpostBatch([{ type: 'spam_complaint', fbtype: 'abuse', raw_rcpt_to: 'late@example.com' }]),
    ).then(({ status }) => status);
    await world.database.cancelWaiting();
    expect(await refused).toBe(503);
    await inbox.release();
    const { lastError } = await world.app.get(SourcesService).get(source.id);
    expect(lastError).toBeNull();
  });
});

describe('a delivery of many events', () => {
  let world: World;
  let queries: { stop(): void };
  /** In transactions: background work polls with single statements. */
  let statements = 0;
  beforeAll(async () => {
    world = await createWorld();
    const inTransaction = new WeakSet<PoolClient>();
    queries = observeQueries(world, ([text], client) => {
      if (text === 'START TRANSACTION') {
        inTransaction.add(client);
      }
      const isSetting = typeof text === 'string' && text.startsWith('SET LOCAL ');
      statements += inTransaction.has(client) && !isSetting ? 1 : 0;
      if (text === 'COMMIT') {
        inTransaction.delete(client);
      }
    });
  });
  afterAll(async () => {
    queries.stop();
    await world.close();
  });

  const KINDS = [
    { type: 'bounce', bounce_class: '10' },
    { type: 'bounce', bounce_class: '22' },
    { type: 'link_unsubscribe' },
    { type: 'delivery' },
    { type: 'spam_complaint', fbtype: 'abuse' },
  ];

  it.each([
    ['about one address', 1],
    ['about many addresses, several about each', 700],
  ])('%s takes a few statements', async (_what, addresses) => {
    const source = await createSource(world, 'sparkpost', {
      options: { softLimit: { failures: 3, days: 7 } },
    });
    const costOf = async (count: number) => {
      const events = Array.from({ length: count }, (_, index) => ({
        ...KINDS[index % KINDS.length],
        raw_rcpt_to: `p${index % addresses}-${count}-of-${addresses}@example.com`,
      }));
      const before = statements;
      expect((await postWithCredential(world, source, sparkpostBatch(events))).status).toBe(200);
      return statements - before;
    };
    expect(await costOf(3_500)).toBeLessThan(16);
    expect(await readInbox(world, source)).toHaveLength(3_500);
  });
});
