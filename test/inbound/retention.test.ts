import { randomUUID } from 'node:crypto';
import { lowestIdAt } from '../../src/suppressions/suppression-id.js';
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

  it('deletes old events that did nothing to the list, and keeps those that later decisions depend on', async () => {
    await deliver(...Object.keys(KINDS).map((kind) => `${kind}-${randomUUID()}@example.com`));
    await age(31);
    await deliver('unknown-1@example.com', 'unknown-2@example.com');
    expect((await storedNames()).map((name) => name!.split('-')[0])).toEqual([
      'complaint',
      'hard',
      'unknown',
      'unknown',
    ]);
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
    await deliver('hard-1@example.com', 'hard-2@example.com');
    expect(await outcomes()).toEqual([`${email} bounce watch: added`]);
  });

  it('deletes no newer event, and none of another account', async () => {
    const other = await createSource(world, 'sparkpost', { account: 'globex' });
    const mine = source;
    source = other;
    await deliver('delivered-theirs@example.com');
    await age(31);
    source = mine;
    await deliver('delivered-young@example.com');
    await age(29);
    await deliver('delivered-new@example.com');
    expect(await storedNames()).toEqual(['delivered-new', 'delivered-young']);
    expect(await storedNames(other)).toEqual(['delivered-theirs']);
  });

  const postEvents = (events: object[]) => world.as(world.alice).post('/events').send(events);
  const softOwn = (email: string) => ({
    type: 'bounce',
    email,
    status: '4.2.2',
    occurred_at: '2026-10-01T10:00:00Z',
  });

  it('reports the outcome of an old event that it deletes at the same time', async () => {
    const old = softOwn('soft-own@example.com');
    await postEvents([old]).expect(200);
    const [own] = await world.database.query<{ id: string }>(
      `SELECT id FROM sources WHERE provider = 'event'`,
    );
    await age(31, { ...source, id: own!.id });
    const { body } = await postEvents([old, { type: 'complaint', email: 'new-own@example.com' }]).expect(200);
    expect(body.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['counted', 'added']);
    expect(await storedNames({ ...source, id: own!.id })).toEqual(['new-own']);
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

  it('deletes two events for each new one', async () => {
    await deliver(...Array.from({ length: 5 }, (_, index) => `delivered-${index}@example.com`));
    await age(31);
    await deliver('hard-1@example.com');
    expect(await storedNames()).toHaveLength(4);
    await deliver('hard-2@example.com');
    expect(await storedNames()).toHaveLength(3);
  });
});
