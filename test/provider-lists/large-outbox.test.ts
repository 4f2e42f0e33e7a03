import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { poolOf } from '../../src/database/pool.js';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { NewEvent } from '../../src/inbound/projection/event-outcome.js';
import { withOwnEntries } from '../../src/inbound/projection/rare-facts.js';
import type { Source } from '../../src/inbound/sources/source.entity.js';
import { CAUSES } from '../../src/ledger/cause.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { DroppedPushesRepository } from '../../src/provider-lists/push/dropped-pushes.repository.js';
import { PushStatesRepository } from '../../src/provider-lists/push/push-states.repository.js';
import { outcomeOf } from '../../src/provider-lists/push/push-outcomes.js';
import { OutboxRepository } from '../../src/provider-lists/push/outbox.repository.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { ProviderList } from '../../src/provider-lists/provider-list.entity.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { forbidStatistics, recordStatements, rowsOfStatements, type Statements } from '../support/plans.js';
import { apply, compare, createSendGridList } from '../support/provider-lists.js';
import { createSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, type World } from '../support/world.js';

const ADA = 'ada@example.com';
/** Has a long history. */
const EVE = 'eve@example.com' as EmailAddress;
const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };
const BEFORE = Date.parse('2026-01-10T08:00:00Z') / 1_000;
const MARKS = 20_000;
const OPEN = 200;
const LINES = 10_000;
/** Far fewer than there are marks, or lines of the history. */
const MAX_ROWS = 6_000;
const STATEMENTS = [
  'take-provider-list-pushes',
  'postpone-provider-list-removals',
  'begin-provider-list-push',
  'forget-provider-list-entry',
  'page-provider-list-pushes',
  'page-provider-list-pushes-of-address',
  'page-provider-list-lines',
  'page-provider-list-lines-of-address',
  'count-provider-list-pushes',
  'retry-provider-list-pushes',
  'lock-open-provider-list-pushes',
  'drop-withdrawn-provider-list-pushes',
  'lock-due-provider-list-pushes',
  'drop-unwanted-provider-list-pushes',
  'claim-provider-lists',
  'measure-provider-lists',
  'read-push-states',
  'read-known-provider-list-entries',
  'read-confirmed-provider-list-removals',
  'compare-provider-list-there',
  'compare-provider-list-here',
  'compare-provider-list-gone',
  'find-own-entries-of-addresses',
];

interface NewRows {
  name: string;
  action: 'add' | 'remove';
  status: 'pending' | 'done' | 'failed';
}

describe('a provider list with a large outbox', () => {
  let world: World;
  let sendgrid: FakeSendGrid;
  let list: string;
  const used: Statements = new Map();
  beforeAll(async () => {
    sendgrid = await startFakeSendGrid();
    world = await createWorld({
      ...LOOPBACK,
      DATABASE_POOL_SIZE: '2',
      PROVIDER_API_URL_SENDGRID: sendgrid.url,
    });
    recordStatements(world, used);
    await forbidStatistics(world);
    list = await createSendGridList(world, world.alice);
    await set({ push_paused_until: '2100-01-01' });
    await work();
  });
  afterAll(async () => {
    await world?.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const path = () => `/provider-lists/${list}`;
  const set = (values: Record<string, unknown>) =>
    world.app.get(DataSource).query(
      `UPDATE provider_lists SET ${Object.keys(values)
        .map((name, index) => `${name} = $${index + 2}`)
        .join()} WHERE id = $1`,
      [list, ...Object.values(values)],
    );
  const inTwoMinutes = () => new Date(Date.now() + 120_000);
  const insert = (count: number, { name, action, status }: NewRows) =>
    world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, status, cause, since, put_at, error
      )
      SELECT account_id, id, address, 'unsubscribes', address, $3, $4, 'bounce', now(),
        CASE WHEN $4 = 'done' THEN now() END, CASE WHEN $4 = 'failed' THEN 'It failed.' END
      FROM provider_lists, generate_series(1, $5::integer) AS number, LATERAL (SELECT $2 || number || '@example.com' AS address) AS made
      WHERE id = $1`,
      [list, name, action, status, count],
    );
  const pushes = async () => (await as().get(path()).expect(200)).body.pushes;
  /** A record that was added and removed by hand again and again, with as many choices, and as many reports of a source. */
  const writeHistory = async () => {
    const { id: source } = await createSource(world, 'sendgrid');
    await world.database.query(
      `INSERT INTO suppression_changes (account_id, email, action, cause, suppression_id, actor_type, actor_id, actor_name)
      SELECT $1, $2, action::suppression_action, 'manual', md5('record' || number)::uuid, 'api_key', uuid_v7(), 'key'
      FROM generate_series(1, ${LINES} / 2) AS number, (VALUES ('added'), ('removed')) AS kind (action)
      ORDER BY number`,
      [world.acme.id, EVE],
    );
    await world.database.query(
      `INSERT INTO delivery_events
        (account_id, recipient, received_at, occurred_at, source_id, key, kind, effect, outcome, reason)
      SELECT $1, $2, now(), now() - number * interval '1 second', $3, md5(number::text), 'bounce', 'suppress', 'nothing', ''
      FROM generate_series(1, ${LINES}) AS number`,
      [world.acme.id, EVE, source],
    );
  };

  it.each(['force_generic_plan', 'force_custom_plan'])(
    'reads neither what is done, nor a whole history (%s)',
    async (mode) => {
      const pool = poolOf(world.app.get(DataSource));
      const handled = await rowsOfStatements(pool, used, mode);
      expect(Object.keys(handled)).toEqual(expect.arrayContaining(STATEMENTS));
      const many = STATEMENTS.filter((name) => handled[name]! > MAX_ROWS);
      expect(Object.fromEntries(many.map((name) => [name, handled[name]]))).toEqual({});
    },
  );

  const reportManually = (email: EmailAddress) =>
    transactionBefore(world.app.get(DataSource), { deadline: Infinity }, (transaction) => {
      const source = { accountId: world.acme.id, provider: 'sendgrid' } as Source;
      return withOwnEntries(source, [], new Map([[email, [{ kind: 'manual' } as NewEvent]]]), transaction);
    });

  const work = async () => {
    sendgrid.lists.bounces = [{ email: ADA, created: BEFORE }];
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await insert(MARKS, { name: 'mark', action: 'add', status: 'done' });
    await insert(OPEN, { name: 'waiting', action: 'add', status: 'pending' });
    await insert(OPEN, { name: 'failed', action: 'add', status: 'failed' });
    await insert(OPEN, { name: 'removed', action: 'remove', status: 'pending' });
    await insert(OPEN, { name: 'sent', action: 'remove', status: 'pending' });
    await writeHistory();
    await world.database.query(
      `UPDATE provider_list_pushes SET email = $2, address = $2 WHERE provider_list_id = $1 AND email = 'mark1@example.com'`,
      [list, EVE],
    );
    sendgrid.lists.unsubscribes = [{ email: EVE, created: Math.floor(Date.now() / 1_000) }];
    const leaseId = randomUUID();
    await set({ push_lease_id: leaseId, push_leased_until: inTwoMinutes() });
    const found = await world.app.get(DataSource).manager.findOneByOrFail(ProviderList, { id: list });
    const outbox = world.app.get(OutboxRepository);
    const push = (await outbox.take(found))!;
    expect(push.address).toMatch('removed');
    push.sentAt = await outbox.begin(found, push);
    await outbox.record(found, push, outcomeOf(push, 'done', new Date()));
    await world.database.query(
      `UPDATE provider_list_pushes SET status = 'done', attempted_at = now() WHERE provider_list_id = $1 AND address LIKE 'sent%'`,
      [list],
    );
    await outbox.postponeRemovals(found, new Date('2100-01-01'), 'It waits.');
    const dropped = world.app.get(DroppedPushesRepository);
    await dropped.dropUnwanted(found, push, CAUSES);
    await dropped.dropUnwanted(found, { ...push, action: 'add' }, []);
    await insert(OPEN, { name: 'waiting', action: 'add', status: 'pending' });
    await transactionBefore(world.app.get(DataSource), { deadline: Infinity }, (transaction) =>
      world.app.get(PushStatesRepository).read(found, [EVE], transaction),
    );
    await reportManually(EVE);
    await set({ push_lease_id: null, push_leased_until: null });
    await as().get(path()).expect(200);
    await as().get(`${path()}/pushes`).query({ status: 'failed' }).expect(200);
    await as().get(`${path()}/pushes`).query({ email: EVE }).expect(200);
    await world.database.query(
      `INSERT INTO provider_list_lines (account_id, plan_id, kind, email, list, address, adds, revision)
      SELECT $1, $2, 'agreed', 'line' || number || '@example.com', 'bounces', '', false, 0
      FROM generate_series(1, ${LINES}) AS number`,
      [world.acme.id, id],
    );
    await as().get(`${path()}/plans/${id}/lines`).query({ kind: 'agreed' }).expect(200);
    await as().get(`${path()}/plans/${id}/lines`).query({ email: 'line1@example.com' }).expect(200);
    await as().delete(`/suppressions/${ADA}`).expect(200);
    await as()
      .post(`${path()}/removals`)
      .send({ emails: [ADA], consent: CONSENT })
      .expect(202);
    await compare(world, world.alice, list);
    await world.app.get(Metrics).registry.metrics();
    await as().patch(path()).send({ push_unsubscribes: true }).expect(200);
    await as().patch(path()).send({ push_unsubscribes: false }).expect(200);
    await world.app.get(PushWorker).run();
    // The retry ends the pause, and a worker that sends something then would end the next one, too.
    await set({ push_lease_id: randomUUID(), push_leased_until: inTwoMinutes() });
    await as().post(`${path()}/pushes/retry`).expect(200);
    await set({ push_paused_until: '2100-01-01', push_lease_id: null, push_leased_until: null });
  };

  it('drops in short steps what a switch forbids, and keeps the rest', async () => {
    await world.database.query('DELETE FROM provider_list_pushes WHERE provider_list_id = $1', [list]);
    await insert(4_500, { name: 'a', action: 'remove', status: 'pending' });
    await insert(4_500, { name: 'b', action: 'add', status: 'pending' });
    await insert(100, { name: 'c', action: 'remove', status: 'failed' });
    await insert(10, { name: 'd', action: 'add', status: 'done' });
    await as().patch(path()).send({ push_removals: false }).expect(200);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await pushes()).pending === 4_500;
    });
    expect(await pushes()).toMatchObject({ pending: 4_500, failed: 0 });
    const rows = await world.database.query<{ status: string; number: number }>(
      `SELECT status, count(*)::integer AS number FROM provider_list_pushes WHERE provider_list_id = $1 GROUP BY status ORDER BY status`,
      [list],
    );
    expect(rows).toEqual([
      { status: 'done', number: 10 },
      { status: 'pending', number: 4_500 },
    ]);
  });

  it('counts up to 10,000 changes, and sends 5,000 of those that failed again', async () => {
    await world.database.query('DELETE FROM provider_list_pushes WHERE provider_list_id = $1', [list]);
    await insert(10_050, { name: 'a', action: 'add', status: 'failed' });
    expect(await pushes()).toMatchObject({ pending: 0, failed: 10_000, oldest_at: expect.any(String) });
    const page = await as().get(`${path()}/pushes`).query({ limit: 2 }).expect(200);
    const next = await as().get(`${path()}/pushes`).query({ limit: 2, after: page.body.cursor }).expect(200);
    const emails = [...page.body.data, ...next.body.data].map(({ email }: { email: string }) => email);
    expect(new Set(emails).size).toBe(4);
    const { body } = await as().post(`${path()}/pushes/retry`).expect(200);
    expect(body).toMatchObject({ retried: 5_000 });
    await set({ push_paused_until: '2100-01-01' });
    expect((await pushes()).failed).toBe(5_050);
  });
});
