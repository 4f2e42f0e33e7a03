import { getDataSourceToken } from '@nestjs/typeorm';
import { Client, escapeIdentifier, escapeLiteral, type Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { LOOKUPS } from '../../src/database/database.module.js';
import { poolOf } from '../../src/database/prepared-statement.js';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { LastReceivedRepository } from '../../src/inbound/inbox/last-received.repository.js';
import { PrefixSearch } from '../../src/suppressions/prefix-search.js';
import { ReservationsRepository } from '../../src/suppressions/reservations/reservations.repository.js';
import { ended, importFile } from '../support/imports.js';
import { createSource, postWithCredential, sparkpostBatch, type TestSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const RECORDS = 4_000;
/** More than a good plan may handle for the largest batch. */
const OTHER_RECORDS = 100_000;
const BATCH = 1_000;
const FEW = 10;
/** A good plan handles some rows for each address of a batch; a bad one all rows of the account, once or for each. */
const MAX_ROWS_PER_ADDRESS = 60;
/** Reads as many lines of the ledger for a small import as for a large one. */
const READS_IN_ORDER = 'list-import-changes';

interface Statement {
  name: string;
  values: unknown[];
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

describe('on a database without statistics', () => {
  let world: World;
  let source: TestSource;
  let quiet: TestSource;
  /** The prepared statements, with the longest values that they were run with, by name and by the parameters that had values. */
  const largest = new Map<string, Statement>();
  const few = new Map<string, Statement>();
  const query = Client.prototype.query;

  beforeAll(async () => {
    recordStatements(largest);
    world = await createWorld({ DATABASE_POOL_SIZE: '2' });
    await forbidStatistics(world);
    source = await createSource(world, 'sparkpost', { options: { softLimit: { failures: 3, days: 7 } } });
    quiet = await createSource(world, 'postmark');
    const topic = { name: 'News', default_subscription: 'opt_in' };
    await world.as(world.alice).post('/topics').send(topic).expect(201);
    await work(1);
    await work(RECORDS);
    await world.database.query(
      `INSERT INTO suppressions (account_id, id, email, cause, created_at)
      SELECT id, uuid_v7(), 'other' || number || '@example.com', 'bounce', now() - number * interval '1 ms'
      FROM accounts, generate_series(1, ${OTHER_RECORDS}) AS number
      WHERE name = 'acme'`,
    );
    recordStatements(few);
    await work(FEW);
  });
  afterAll(async () => {
    Client.prototype.query = query;
    await world?.close();
  });

  const recordStatements = (into: Map<string, Statement>) => {
    Client.prototype.query = function (this: Client, ...args: unknown[]) {
      const [{ name, values }] = args as [Partial<Statement>];
      const key = `${name} ${values?.map(isEmpty)}`;
      if (name !== undefined && values && lengthOf(values) >= lengthOf(into.get(key)?.values ?? [])) {
        into.set(key, { name, values: [...values] });
      }
      return Reflect.apply(query, this, args);
    } as typeof query;
  };

  /** The requests of mailers and providers, with `count` addresses. */
  const work = async (count: number) => {
    const alice = world.as(world.alice);
    const emails = addresses(count);
    const batch = emails.slice(0, BATCH);
    await importFile(world, world.alice, `email\n${emails.join('\n')}\n`);
    await alice.post('/suppressions/check').send({ emails: batch }).expect(200);
    await alice.get(`/suppressions/${batch[0]}`).expect(200);
    await alice.get('/suppressions').query({ limit: 100 }).expect(200);
    await world.app.get(PrefixSearch).find(source.accountId, 'other', FEW);
    await alice.get(`/suppressions/${batch[0]}/history`).expect(200);
    await alice.get('/exports').expect(200);
    await alice.get('/changes').query({ limit: batch.length }).expect(200);
    for (const [type, bounceClass] of [
      ['bounce', '10'],
      ['bounce', '20'],
      ['delivery', ''],
      ['spam_complaint', ''],
    ]) {
      const events = batch.map((email) => ({
        type,
        bounce_class: bounceClass,
        raw_rcpt_to: email,
        rcpt_to: email,
        raw_reason: bounceClass === '10' ? '550 5.1.1 no such user' : '452 4.2.2 mailbox full',
      }));
      for (let sent = 0; sent < (bounceClass === '20' ? 3 : 1); sent++) {
        const { status } = await postWithCredential(world, source, sparkpostBatch(events));
        expect(status).toBe(200);
      }
    }
    await reserveInVain(batch.map((email) => `unlisted-${email}` as EmailAddress));
    const posted = batch.slice(0, 100).map((email) => ({ type: 'unsubscribe', email }));
    await alice.post('/events').send(posted).expect(200);
    await alice.get('/events').query({ source: source.id, kind: 'complaint' }).expect(200);
    await world.app.get(LastReceivedRepository).find(source.accountId, [source.id, quiet.id]);
    await alice
      .post('/suppressions/batch/remove')
      .send({ emails: batch.slice(0, 100) })
      .expect(200);
    await importAndRevert(batch, {});
    await importAndRevert(batch, { topic: 'news' });
  };

  const importAndRevert = async (emails: string[], parameters: Record<string, string>) => {
    const rows = emails.map((email) => `reverted-${email},bounce\n`);
    const file = `email,cause\n${rows.join('')}${rows.length}@example.com,complaint\n`;
    const { id } = await importFile(world, world.alice, file, parameters);
    await world.as(world.alice).post(`/imports/${id}/revert`).expect(202);
    expect(await ended(world, world.alice, id)).toMatchObject({ reverted: rows.length + 1 });
  };

  /** As a delivery does that changes nothing for addresses that are not listed. */
  const reserveInVain = async (emails: EmailAddress[]) => {
    const [account] = await world.database.query<{ id: number }>(
      `SELECT id FROM accounts WHERE name = 'acme'`,
    );
    const dataSource = world.app.get<DataSource>(getDataSourceToken());
    const reservations = world.app.get(ReservationsRepository);
    const actor = { type: 'source', id: source.id, name: 'source' } as const;
    await transactionBefore(dataSource, performance.now() + 4_000, async (transaction) => {
      const causes = new Map(emails.map((email) => [email, 'bounce' as const]));
      const placeholders = await reservations.reserve(account!.id, causes, transaction);
      const records = [...placeholders].map(([reservation, email]) => ({ email, reservation, record: null }));
      expect(records).toHaveLength(emails.length);
      await reservations.settle({ accountId: account!.id, actor }, records, [], transaction);
    });
  };

  it.each([
    [BATCH, 'force_generic_plan'],
    [BATCH, 'force_custom_plan'],
    [FEW, 'force_generic_plan'],
    [FEW, 'force_custom_plan'],
  ])('no statement handles more rows than a batch of %s needs (%s)', async (count, mode) => {
    const used = count === BATCH ? largest : few;
    const handled: Record<string, number> = {};
    for (const token of [getDataSourceToken(), getDataSourceToken(LOOKUPS)]) {
      Object.assign(handled, await measure(poolOf(world.app.get<DataSource>(token)), used, mode));
    }
    expect(Object.keys(handled)).toEqual(
      expect.arrayContaining([
        'check',
        'add-suppressions',
        'read-feed',
        'find-address-states',
        'find-suppressions-by-prefix',
        'find-last-received',
        'write-event-outcomes',
        'find-withdrawn-since',
        READS_IN_ORDER,
        'find-addresses-untouched-since-import',
        'remove-cause-by-emails',
        'revert-imported-opt-outs',
      ]),
    );
    const limitOf = (name: string) => MAX_ROWS_PER_ADDRESS * (name === READS_IN_ORDER ? BATCH : count);
    expect(Object.entries(handled).filter(([name, rows]) => rows > limitOf(name))).toEqual([]);
  });

  /** The rows that each statement handles which the connection of a pool has prepared. */
  const measure = async (
    pool: Pool,
    used: Map<string, Statement>,
    mode: string,
  ): Promise<Record<string, number>> => {
    const handled: Record<string, number> = {};
    const client = await pool.connect();
    try {
      await client.query(`SET plan_cache_mode = ${mode}`);
      const { rows } = await client.query<{ name: string }>('SELECT name FROM pg_prepared_statements');
      const prepared = new Set(rows.map(({ name }) => name));
      for (const { name, values } of [...used.values()].filter((one) => prepared.has(one.name))) {
        const call = `${escapeIdentifier(name)}${values.length > 0 ? `(${values.map(literal).join(', ')})` : ''}`;
        await client.query('BEGIN; SET LOCAL statement_timeout = 60000');
        const { rows: plans } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${call}`);
        await client.query('ROLLBACK');
        const statement = withoutGeneration(name);
        const rowsOfPlan = rowsHandled(plans[0]['QUERY PLAN'][0].Plan);
        handled[statement] = Math.max(handled[statement] ?? 0, rowsOfPlan);
      }
      return handled;
    } finally {
      client.release();
    }
  };
});

/** All plans are generic and, on new connections, made while the tables are empty. */
async function forbidStatistics({ database, as, alice, anyone }: World): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`ALTER DATABASE ${name} SET plan_cache_mode = force_generic_plan`);
  const tables = await database.query<{ table: string }>(
    `SELECT relname AS table FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  for (const { table } of tables) {
    await database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  }
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'suppression-list' AND datname = '${name}'`,
  );
  await until(async () => {
    const answers = await Promise.all([as(alice).get('/suppressions'), anyone.get('/readyz')]);
    return answers.every(({ status }) => status === 200);
  });
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `person${number}@example.com`);
}

/** The name of a statement without the suffix that it has after DDL, which another test in this process may have run. */
function withoutGeneration(name: string): string {
  return name.replace(/-\d+$/, '');
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function lengthOf(values: unknown[]): number {
  return JSON.stringify(values).length;
}

function rowsHandled(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  const own = (node['Actual Rows'] + removed) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsHandled(child), own);
}

/** A value as SQL, for parameters of any type. */
function literal(value: unknown): string {
  if (value === null || value === undefined) {
    return 'NULL';
  }
  if (Array.isArray(value)) {
    const elements = value.map((element) =>
      element === null ? 'NULL' : `"${text(element).replaceAll(/["\\]/g, '\\$&')}"`,
    );
    return escapeLiteral(`{${elements.join(',')}}`);
  }
  return escapeLiteral(text(value));
}

function text(value: unknown): string {
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (Buffer.isBuffer(value)) {
    return `\\x${value.toString('hex')}`;
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
