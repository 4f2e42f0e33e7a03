import { randomUUID } from 'node:crypto';
import { RetentionSweep } from '../../src/inbound/inbox/retention-sweep.js';
import { lowestIdAt } from '../../src/validation/parsers.js';
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

const DAY_MS = 86_400_000;

describe('the inbox', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => (world = await createWorld({ INBOX_RETENTION_DAYS: '30' })));
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));
  afterAll(() => world.close());

  const KINDS = {
    delivered: { type: 'delivery' },
    unknown: { type: 'telepathy' },
    soft: { type: 'bounce', bounce_class: '22' },
    hard: { type: 'bounce', bounce_class: '10' },
    complaint: { type: 'spam_complaint', fbtype: 'abuse' },
  };
  const deliver = async (...recipients: string[]) => {
    const batch = sparkpostBatch(
      recipients.map((raw_rcpt_to) => ({
        ...KINDS[raw_rcpt_to.split('-')[0] as keyof typeof KINDS],
        raw_rcpt_to,
      })),
    );
    expect((await postWithCredential(world, source, batch)).status).toBe(200);
  };
  /** As if the events of a source until now had been told so many days earlier. */
  const age = async (days: number, { id } = source) => {
    const tail = lowestIdAt(Date.now() - days * DAY_MS).slice(0, 13);
    await world.database.query(
      `UPDATE delivery_events SET id = ($2 || substr(id::text, 14))::uuid WHERE source_id = $1`,
      [id, tail],
    );
  };
  const storedNames = async ({ id } = source) => {
    const rows = await world.database.query<{ recipient: string }>(
      'SELECT recipient FROM delivery_events WHERE source_id = $1 ORDER BY recipient',
      [id],
    );
    return rows.map(({ recipient }) => recipient.split('@')[0]);
  };

  const sweep = () => world.app.get(RetentionSweep).run();

  it('deletes old events that did nothing to the list, and keeps those that later decisions depend on', async () => {
    await deliver(...Object.keys(KINDS).map((kind) => `${kind}-${randomUUID()}@example.com`));
    await age(31);
    await sweep();
    expect((await storedNames()).map((name) => name!.split('-')[0])).toEqual(['complaint', 'hard']);
  });

  it('keeps the soft failure that reached the limit', async () => {
    source = await createSource(world, 'sparkpost', { options: { softLimit: { failures: 2, days: 7 } } });
    const email = `soft-${randomUUID()}@example.com`;
    const outcomes = async () => (await readInbox(world, source)).filter((line) => line.startsWith(email));
    await deliver(email);
    await deliver(email);
    await deliver(email);
    expect((await outcomes()).toSorted()).toEqual(
      ['added', 'counted', 'counted'].map((outcome) => `${email} bounce watch: ${outcome}`),
    );
    await age(31);
    await sweep();
    expect(await outcomes()).toEqual([`${email} bounce watch: added`]);
  });

  it('deletes no newer event', async () => {
    await deliver('delivered-young@example.com');
    await age(29);
    await deliver('delivered-new@example.com');
    await sweep();
    expect(await storedNames()).toEqual(['delivered-new', 'delivered-young']);
  });

  it('keeps the events of an account as long as its retention says, and those of others as long as the service does', async () => {
    const retain = (inbox_retention: string | null) =>
      world.as(world.charlie).patch('/account').send({ inbox_retention }).expect(200);
    const theirs = await createSource(world, 'sparkpost', { account: 'globex' });
    const mine = source;
    for (const one of [theirs, mine]) {
      source = one;
      await deliver('delivered-8@example.com');
      await age(8, one);
      await deliver('delivered-new@example.com');
    }
    await retain('7d');
    await sweep();
    expect(await storedNames(theirs)).toEqual(['delivered-new']);
    expect(await storedNames(mine)).toEqual(['delivered-8', 'delivered-new']);
    await retain('60d');
    await age(31, theirs);
    await sweep();
    expect(await storedNames(theirs)).toEqual(['delivered-new']);
    await retain(null);
    await sweep();
    expect(await storedNames(theirs)).toEqual([]);
  });

  it('is not kept for less time than a soft limit covers', async () => {
    const softLimit = (days: number) => ({
      options: { softLimit: { failures: 2, days } },
      account: 'globex',
    });
    await createSource(world, 'sparkpost', softLimit(20));
    const change = (inbox_retention: string) =>
      world.as(world.charlie).patch('/account').send({ inbox_retention });
    const { body } = await change('19d').expect(400);
    expect(body.message).toBe(
      'inbox_retention must be at least 20d, which the soft limit of the source sparkpost covers.',
    );
    await change('20d').expect(200);
    await expect(createSource(world, 'sparkpost', softLimit(21))).rejects.toThrow(
      'The inbox keeps events for 20 days',
    );
  });

  const postEvents = (events: object[]) => world.as(world.alice).post('/events').send(events);
  const softOwn = (email: string) => ({
    type: 'bounce',
    email,
    status: '4.2.2',
    occurred_at: '2026-10-01T10:00:00Z',
  });

  it('stores nothing if a repeated event is being deleted by another request', async () => {
    const [met, held] = [softOwn('soft-met@example.com'), 'held@example.com'];
    await postEvents([met]).expect(200);
    await suppress(world, world.alice, [held]);
    const record = await world.database.lockRow('suppressions', `email = '${held}'`);
    const answer = postEvents([met, { type: 'complaint', email: held }]).then((response) => response);
    await until(async () => {
      const waiting = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length === 1;
    });
    await world.database.query('DELETE FROM delivery_events WHERE recipient = $1', [met.email]);
    await record.release();
    const { status, body, headers } = await answer;
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'service_unavailable', '1']);
    expect(await readLedger(world, held)).toEqual(['added manual by alice']);
  });

  it('deletes more events than one statement, in accounts without new events, too', async () => {
    await deliver('delivered-1@example.com');
    await world.database.query(
      `INSERT INTO delivery_events (account_id, source_id, received_at, kind, effect, outcome, key, recipient, reason)
      SELECT account_id, source_id, received_at, kind, effect, outcome, key || n, recipient, reason
      FROM delivery_events, generate_series(1, 2500) AS n
      WHERE source_id = $1`,
      [source.id],
    );
    await world.database.query(
      `UPDATE delivery_events SET id = (left($2, 14) || substr(id::text, 15))::uuid WHERE source_id = $1`,
      [source.id, lowestIdAt(Date.now() - 31 * DAY_MS)],
    );
    await sweep();
    expect(await storedNames()).toEqual([]);
  });
});
