import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { TotalsSweep } from '../../src/counts/totals-sweep.js';
import { poolOf } from '../../src/database/pool.js';
import { FeedSweep } from '../../src/feed/feed-sweep.js';
import { RetentionSweep } from '../../src/inbound/inbox/retention-sweep.js';
import { IncidentSweep } from '../../src/incidents/incident-sweep.js';
import { ScrubSweep } from '../../src/scrubs/scrub-sweep.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { WatchedMail } from '../support/incidents/incidents.js';
import {
  forbidStatistics,
  rowsOfStatements,
  recordStatements,
  type StatementRecorder,
  type Statements,
} from '../support/plans.js';
import { until } from '../support/until.js';
import { LOOPBACK, TestWebhook } from '../support/webhooks.js';
import { createKey, createWorld, type World } from '../support/world.js';

const ACCOUNTS = 100_000;
const BUSY = 100;
/** A pass visits 5,000 accounts, and handles some rows for each. */
const MAX_ROWS = 50_000;

const SWEEPS = [ExpirySweep, FeedSweep, IncidentSweep, RetentionSweep, ScrubSweep, TotalsSweep];
const OF_ALL_ACCOUNTS = [
  'find-accounts-with-pending-changes',
  'find-accounts-with-due-totals',
  'find-accounts-with-expired-causes',
  'find-accounts-to-guard',
  'delete-expired-events',
  'sweep-scrubs',
  'claim-some-webhooks',
];

describe(`${ACCOUNTS} accounts, of which ${BUSY} are busy`, () => {
  let world: World;
  let recorder: StatementRecorder;
  const statements: Statements = new Map();

  beforeAll(async () => {
    const earlier: Statements = new Map();
    world = await createWorld({ ...LOOPBACK, DATABASE_POOL_SIZE: '2' });
    recorder = recordStatements(world, earlier);
    await forbidStatistics(world);
    await createAccounts(world);
    await until(() => [...earlier.values()].some(({ name }) => name.startsWith('claim-some-webhooks')));
    recorder.into(statements);
  });
  afterAll(async () => {
    await world?.close();
  });

  const sweep = async () => {
    for (const one of SWEEPS) {
      await world.app.get<{ run(): Promise<void> }>(one).run();
    }
  };

  it('serves the account that was created last', async () => {
    const apiKey = await createKey(world);
    const { endpoint } = await TestWebhook.create(world, apiKey);
    await world.as(apiKey).post('/suppressions').send({ email: 'anna@example.com' }).expect(201);
    await until(() => endpoint.received.length === 1);
    await endpoint.close();
    // A pass that had begun before the address was added may leave it to the next one.
    await until(async () => {
      await sweep();
      const [left] = await world.database.query<{ rows: number }>(
        `SELECT (
          (SELECT count(*) FROM feed_pending) + (SELECT count(*) FROM pending_totals)
          + (SELECT count(*) FROM suppressions WHERE expires_at <= now())
        )::integer AS rows`,
      );
      return left!.rows === 0;
    });
  });

  it('watches the bounces of accounts that are not visited by the pass', async () => {
    await world.database.query(`UPDATE accounts SET incident_guard = 'alert' WHERE name = 'acme'`);
    const mail = await WatchedMail.create(world, 'acme');
    await world.app.get(IncidentSweep).run();
    await mail.bounced(['anna@example.com']);
    await mail.age();
    await world.app.get(IncidentSweep).run();
    const watches = await world.database.query('SELECT FROM incident_watches WHERE account_id = $1', [
      mail.source.accountId,
    ]);
    expect(watches).toHaveLength(1);
  });

  it.each(['force_generic_plan', 'force_custom_plan'])(
    'no statement reads all accounts (%s)',
    async (mode) => {
      await sweep();
      const pool = poolOf(world.app.get<DataSource>(getDataSourceToken()));
      const handled = await rowsOfStatements(pool, statements, mode);
      expect(Object.keys(handled)).toEqual(expect.arrayContaining(OF_ALL_ACCOUNTS));
      expect(Object.entries(handled).filter(([, rows]) => rows > MAX_ROWS)).toEqual([]);
    },
  );
});

/** Each has a record, and a webhook that has received its change. The last ones have new changes, and a record that has expired. */
async function createAccounts({ database }: World): Promise<void> {
  await database.query(
    `WITH account AS (
      INSERT INTO accounts (name, incident_guard)
      SELECT 'account-' || number, 'off' FROM generate_series(1, ${ACCOUNTS}) AS number
      RETURNING id
    ),
    head AS (INSERT INTO feed_heads (account_id, last_position) SELECT id, 1 FROM account),
    counted AS (INSERT INTO counted_accounts (account_id, changes_until) SELECT id, uuid_v7() FROM account)
    INSERT INTO webhooks (account_id, id, position, endpoint, events, signing_secrets)
    SELECT id, uuid_v7(), 1, 'http://127.0.0.1:9/', ARRAY['topic.created'], '[]' FROM account`,
  );
  // One transaction, because a pass that found changes of all accounts would take minutes.
  await database.query(
    `INSERT INTO suppressions (account_id, id, email, cause, created_at, expires_at)
    SELECT id, uuid_v7(), 'anna@example.com', 'bounce', now(), now() + interval '1 year' FROM accounts;
    TRUNCATE pending_totals`,
  );
  await database.query(
    `WITH busy AS (SELECT id FROM accounts ORDER BY id DESC LIMIT ${BUSY})
    INSERT INTO suppressions (account_id, id, email, cause, created_at, expires_at)
    SELECT id, uuid_v7(), 'berta@example.com', 'bounce', now(), now() FROM busy`,
  );
}
