import { hashAccount } from '../../../src/database/citus/account-hash.js';
import { routeOf } from '../../../src/database/citus/routes.js';
import { ShardNames } from '../../../src/database/citus/shard-text.js';
import { TABLES } from '../../../src/database/citus/tables.js';
import { STATEMENTS } from '../../../src/database/prepared-statement.js';
import '../../../src/app.module.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';

describe('the tables of a database that is spread over several servers', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  it('each have a place, and only they', async () => {
    const rows = await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables
      WHERE schemaname = 'public'
        AND tablename NOT IN ('migrations', 'migration_checksums', 'account_copies', 'source_copies', 'two_phase')`,
    );
    const names = new Set([...rows.map(({ name }) => name), 'bucket_homes']);
    expect([...names].toSorted()).toEqual(Object.keys(TABLES).toSorted());
  });

  it('are divided by the account, which is a part of each of their unique keys', async () => {
    const distributed = Object.keys(TABLES).filter((table) => TABLES[table] === 'distributed');
    const rows = await database.query<{ key: string }>(
      `SELECT indexrelid::regclass::text AS key
      FROM pg_index
      JOIN pg_attribute AS account ON attrelid = indrelid AND attname = 'account_id'
      WHERE indrelid::regclass::text = ANY ($1) AND indisunique AND NOT account.attnum = ANY (indkey)`,
      [distributed],
    );
    expect(rows).toEqual([]);
  });
});

/** Statements of background tasks, which put the rows of several servers together. */
const ABOUT_ALL = [
  'claim-job',
  'claim-provider-lists',
  'claim-some-webhooks',
  'claim-webhooks',
  'count-open-incidents',
  'delete-abandoned-uploads',
  'delete-expired-events',
  'delete-expired-jobs',
  'delete-pieces-of-ended-job',
  'delete-provider-list-plans',
  'delete-provider-list-pushes',
  'delete-provider-list-rows',
  'delete-provider-lists',
  'expire-provider-list-plans',
  'find-accounts-to-guard',
  'find-accounts-with-due-totals',
  'find-accounts-with-expired-causes',
  'find-accounts-with-pending-changes',
  'find-accounts-with-pending-erasures',
  'find-due-provider-lists',
  'find-lifts-with-old-lines',
  'find-moving-opt-outs',
  'find-next-webhooks',
  'find-waiting-job',
  'find-webhooks-to-measure',
  'measure-jobs',
  'measure-pending-erasures',
  'measure-provider-lists',
  'read-claimed-webhooks',
  'record-deliveries',
  'release-webhooks',
  'sample-secrets-of-erasure_keys',
  'sample-secrets-of-provider_lists',
  'sample-secrets-of-webhooks',
  'sweep-deliveries',
  'sweep-scrubs',
];

describe('a statement', () => {
  it('concerns one account, unless it is listed', () => {
    const found = [...STATEMENTS].filter(([name, text]) => routeOf(text, name).to === 'all');
    expect(found.map(([name]) => name).toSorted()).toEqual(ABOUT_ALL);
  });

  it('of the service has its place, and names the shards of all tables there', () => {
    const shared = Object.keys(TABLES).filter((table) => TABLES[table] !== 'local');
    const shards = new ShardNames(new Map(shared.map((table) => [table, `${table}_7`])));
    expect(STATEMENTS.size).toBeGreaterThan(200);
    for (const [name, text] of STATEMENTS) {
      expect(routeOf(`${text} `, `${name}#1`)).toEqual(routeOf(text, name));
      expect([name, routeOf(text, name).to]).not.toEqual([name, 'session']);
      const unnamed = shared.filter((table) =>
        new RegExp(`\\b(?:FROM|JOIN|INTO|,)\\s+${table}\\b(?!\\.)|\\b${table} AS (?:MATERIALIZED )?\\(`).test(
          shards.insertInto(text),
        ),
      );
      expect([name, unnamed]).toEqual([name, []]);
    }
  });

  it.each([
    ['SELECT FROM topics WHERE account_id = $1', { to: 'account', parameter: 1, writes: false }],
    [
      'UPDATE "topics" SET "name" = $1 WHERE ("account_id" = $2)',
      { to: 'account', parameter: 2, writes: true },
    ],
    [
      'INSERT INTO "rules"("id", "account_id") VALUES (DEFAULT, $1)',
      { to: 'account', parameter: 1, writes: true },
    ],
    [
      'INSERT INTO lift_lines (account_id, id) SELECT $3, id FROM unnest($1) AS id',
      { to: 'account', parameter: 3, writes: true },
    ],
    ['SELECT number_pending_changes($1, 10)', { to: 'account', parameter: 1, writes: true }],
    ['SELECT FROM accounts WHERE id = $1 FOR UPDATE', { to: 'coordinator', parameter: 1 }],
    ['UPDATE accounts SET name = $1 WHERE id = $2', { to: 'coordinator', parameter: 2 }],
    ['SELECT now()', { to: 'coordinator', parameter: undefined }],
    ['SELECT account_id, id FROM webhooks', { to: 'all', isBackground: false }],
    ['SET LOCAL statement_timeout = 5', { to: 'session' }],
  ])('%s has its place', (text, route) => {
    expect(routeOf(text, undefined)).toEqual(route);
  });

  it.each([
    'DELETE FROM topics WHERE id = $1',
    'SELECT count(*) FROM topics',
    'WITH one AS (DELETE FROM rules WHERE account_id = $1) UPDATE accounts SET name = $2 WHERE id = $1',
    'SELECT FROM topics JOIN people USING (account_id) WHERE account_id = $1',
  ])('%s is refused, because nobody could say where it runs', (text) => {
    expect(() => routeOf(text, undefined)).toThrow(/statement/);
  });

  it.each([
    ['SELECT topics.id FROM topics WHERE true', 'SELECT topics.id FROM topics_7 AS topics WHERE true'],
    ['SELECT FROM "topics" "Topic"', 'SELECT FROM "topics_7" "Topic"'],
    ['INSERT INTO topics (id) VALUES (1)', 'INSERT INTO topics_7 AS topics (id) VALUES (1)'],
    ['UPDATE topics AS t SET id = 1', 'UPDATE topics_7 AS t SET id = 1'],
    ['SELECT 1 AS topics FROM topics_of_mine', 'SELECT 1 AS topics FROM topics_of_mine'],
    ['SELECT a IS DISTINCT FROM topics.id', 'SELECT a IS DISTINCT FROM topics.id'],
  ])('%s names the shards', (text, named) => {
    expect(new ShardNames(new Map([['topics', 'topics_7']])).insertInto(text)).toBe(named);
  });

  it('finds the accounts where Citus puts them', () => {
    // SELECT worker_hash(id) FROM unnest('{1,2,3,1000000,2147483647}'::integer[]) AS id
    expect([1, 2, 3, 1_000_000, 2_147_483_647].map(hashAccount)).toEqual([
      -1_905_060_026, 1_134_484_726, -28_094_569, -723_906_379, -96_758_253,
    ]);
  });
});
