import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { LOOKUPS } from '../../src/database/database.module.js';
import { poolOf } from '../../src/database/pool.js';
import { inStep, transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { SourceEventsRepository } from '../../src/inbound/sources/source-events.repository.js';
import { HoldsRepository } from '../../src/suppressions/holds.repository.js';
import { PrefixSearch } from '../../src/suppressions/suppression-lookup.js';
import {
  ReservationsRepository,
  newPlaceholder,
} from '../../src/suppressions/additions/reservations.repository.js';
import { ended, importFile } from '../support/imports.js';
import { applyLift, countLift, revertLift } from '../support/lifts.js';
import {
  forbidStatistics,
  reconnect,
  rowsOfStatements,
  recordStatements,
  stopAutovacuum,
  type StatementRecorder,
  type Statements,
} from '../support/plans.js';
import { createSource, postWithCredential, sparkpostBatch } from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

const RECORDS = 4_000;
/** More than a good plan may handle for the largest batch. */
const OTHER_RECORDS = 100_000;
const BATCH = 1_000;
const FEW = 10;
const INCIDENT = '0198a5fb-2d4e-7f3c-9ba1-5c6d7e8f9a0b';
const HELD_UNTIL = new Date('2100-01-01');
const TABLES_OF_ROWS = [
  'suppressions',
  'suppression_changes',
  'delivery_events',
  'topic_preferences',
  'contacts',
  'lift_lines',
];
const SMALL_ACCOUNTS = 3_000;
const ROWS_OF_SMALL_ACCOUNT = 3;
/** A good plan handles some rows for each address of a batch; a bad one all rows of the account, once or for each. */
const MAX_ROWS_PER_ADDRESS = 60;
/** They read as many rows for few addresses as for many. */
const READ_IN_ORDER = [
  'list-import-changes',
  'scan-for-lift',
  'find-held-bounces',
  'read-suppression-changes-of-address',
  'read-delivery-events-of-address',
];
/** In the background, whenever it is time: they read up to 5,000 events. */
const WATCHING = ['count-results-of-events', 'read-bounces-of-events', 'find-held-bounces-that-failed-again'];

describe('on a database without statistics', () => {
  let world: World;
  const largest: Statements = new Map();
  const few: Statements = new Map();
  let recorder: StatementRecorder;

  beforeAll(async () => {
    world = await createWorld({ DATABASE_POOL_SIZE: '2' });
    recorder = recordStatements(world, largest);
    await forbidStatistics(world);
    const work = await prepareWork(world);
    await work(1);
    await work(RECORDS);
    await world.database.query(
      `INSERT INTO suppressions (account_id, id, email, cause, created_at)
      SELECT id, uuid_v7(), 'other' || number || '@example.com', 'bounce', now() - number * interval '1 ms'
      FROM accounts, generate_series(1, ${OTHER_RECORDS}) AS number
      WHERE name = 'acme'`,
    );
    await world.database.query(
      `INSERT INTO held_bounces (account_id, suppression_id, incident_id, held_until)
      SELECT accounts.id, suppressions.id, $1, $2
      FROM accounts JOIN suppressions ON account_id = accounts.id
      WHERE name = 'acme'`,
      [INCIDENT, HELD_UNTIL],
    );
    recorder.into(few);
    await work(FEW);
  });
  afterAll(async () => {
    await world?.close();
  });

  it.each([
    [BATCH, 'force_generic_plan'],
    [BATCH, 'force_custom_plan'],
    [FEW, 'force_generic_plan'],
    [FEW, 'force_custom_plan'],
  ])('no statement handles more rows than a batch of %s needs (%s)', async (count, mode) => {
    const used = count === BATCH ? largest : few;
    const handled: Record<string, number> = {};
    for (const token of [getDataSourceToken(), getDataSourceToken(LOOKUPS)]) {
      Object.assign(handled, await rowsOfStatements(poolOf(world.app.get<DataSource>(token)), used, mode));
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
        ...READ_IN_ORDER,
        'find-addresses-untouched-since-import',
        'remove-suppressions-by-emails',
        'revert-imported-opt-outs',
        'examine-candidates-for-lift',
        'find-locked-records-for-lift',
        'update-lift-lines',
        'find-states-for-revert-of-lift',
        'settle-reservations',
        'read-suppressions-of-address',
        'read-withdrawals-of-address',
      ]),
    );
    const limitOf = (name: string) =>
      MAX_ROWS_PER_ADDRESS * ([...READ_IN_ORDER, ...WATCHING].includes(name) ? BATCH : count);
    expect(Object.entries(handled).filter(([name, rows]) => rows > limitOf(name))).toEqual([]);
  });
});

describe('on a database whose statistics do not know the account yet', () => {
  let world: World;
  const used: Statements = new Map();
  beforeAll(async () => {
    world = await createWorld({ DATABASE_POOL_SIZE: '2' });
    await stopAutovacuum(world);
    await importFile(world, world.charlie, addresses(2 * RECORDS).join('\n'));
    await world.database.query('ANALYZE');
    await importFile(world, world.alice, addresses(RECORDS).join('\n'));
    recordStatements(world, used);
    await reconnect(world);
  });
  afterAll(() => world.close());

  it('no statement reads all records of the account', async () => {
    const alice = world.as(world.alice);
    const emails = addresses(FEW);
    await alice.get(`/suppressions/${emails[0]}`).expect(200);
    await alice.post('/suppressions/check').send({ emails }).expect(200);
    await alice.post('/suppressions/batch/add').send({ emails }).expect(201);
    const bounces = emails.map((email) => ({ type: 'bounce', email }));
    await alice.post('/events').send(bounces).expect(200);
    await alice.post('/suppressions/batch/remove').send({ emails }).expect(200);
    for (const name of [undefined, LOOKUPS]) {
      const pool = poolOf(world.app.get<DataSource>(getDataSourceToken(name)));
      const rows = await rowsOfStatements(pool, used, 'DEFAULT');
      const many = Object.entries(rows).filter(([, handled]) => handled > MAX_ROWS_PER_ADDRESS * FEW);
      expect(Object.keys(rows)).not.toEqual([]);
      expect(many).toEqual([]);
    }
  });
});

describe('on a database with many small accounts and a large one', () => {
  let world: World;
  const used: Statements = new Map();
  beforeAll(async () => {
    world = await createWorld({ DATABASE_POOL_SIZE: '2' });
    await stopAutovacuum(world);
    const work = await prepareWork(world);
    await work(ROWS_OF_SMALL_ACCOUNT);
    await copyToSmallAccounts(world);
    await work(RECORDS);
    await world.database.query('ANALYZE');
    recordStatements(world, used);
    await reconnect(world);
    await work(FEW);
  });
  afterAll(() => world?.close());

  it('no statement about it reads all of its records', async () => {
    const [account] = await world.database.query<{ id: number }>(
      `SELECT id FROM accounts WHERE name = 'acme'`,
    );
    // Background tasks read all accounts.
    const ofAccount = new Map([...used].filter(([, { values }]) => values[0] === account!.id));
    for (const name of [undefined, LOOKUPS]) {
      const pool = poolOf(world.app.get<DataSource>(getDataSourceToken(name)));
      const rows = await rowsOfStatements(pool, ofAccount, 'DEFAULT');
      const many = Object.entries(rows).filter(
        ([statement, handled]) =>
          handled > MAX_ROWS_PER_ADDRESS * FEW && ![...READ_IN_ORDER, ...WATCHING].includes(statement),
      );
      expect(Object.keys(rows)).not.toEqual([]);
      expect(many).toEqual([]);
    }
  });
});

/** Gives each of many accounts a few of the rows that an account has. */
async function copyToSmallAccounts({ database }: World): Promise<void> {
  await database.query(
    `INSERT INTO accounts (name) SELECT 'small' || number FROM generate_series(1, ${SMALL_ACCOUNTS}) AS number`,
  );
  const tables = await database.query<{ table: string; columns: string[] }>(
    `SELECT table_name AS table, array_agg(quote_ident(column_name)) AS columns
    FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name <> 'account_id' AND is_generated = 'NEVER'
      AND table_name = ANY ($1)
    GROUP BY table_name`,
    [TABLES_OF_ROWS],
  );
  for (const { table, columns } of tables) {
    await database.query(
      `SET session_replication_role = replica;
      INSERT INTO ${table} (account_id, ${columns.join(', ')})
      OVERRIDING SYSTEM VALUE
      SELECT accounts.id, copied.*
      FROM accounts,
        (SELECT ${columns.join(', ')} FROM ${table}
        WHERE account_id = (SELECT id FROM accounts WHERE name = 'acme') LIMIT ${ROWS_OF_SMALL_ACCOUNT}) AS copied
      WHERE accounts.name LIKE 'small%'
      ON CONFLICT DO NOTHING;
      RESET session_replication_role`,
    );
  }
}

/**
 * Creates what the requests need.
 *
 * @returns what makes the requests of mailers and providers, with `count` addresses
 */
async function prepareWork(world: World): Promise<(count: number) => Promise<void>> {
  const softLimit = { failures: 3, days: 7 };
  const source = await createSource(world, 'sparkpost', { options: { softLimit } });
  const quiet = await createSource(world, 'postmark');
  const topic = { name: 'News', default_subscription: 'opt_in' };
  await world.as(world.alice).post('/topics').send(topic).expect(201);

  const work = async (count: number) => {
    const alice = world.as(world.alice);
    const emails = addresses(count);
    const batch = emails.slice(0, BATCH);
    await importFile(world, world.alice, `email\n${emails.join('\n')}\n`);
    await alice.post('/suppressions/check').send({ emails: batch }).expect(200);
    await alice.get(`/suppressions/${batch[0]}`).expect(200);
    await alice.get('/suppressions').query({ limit: 100 }).expect(200);
    await world.app.get(PrefixSearch).find(source.accountId, 'other', FEW);
    const { body: found } = await alice.get(`/suppressions/${batch[0]}`).expect(200);
    await alice.get(`/suppressions/${found.id}/history`).expect(200);
    await alice.get(`/contacts/${batch[0]}/data`).expect(200);
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
    await findHeld();
    await reserveInVain(batch.map((email) => `unlisted-${email}` as EmailAddress));
    const posted = batch.slice(0, 100).map((email) => ({ type: 'unsubscribe', email }));
    await alice.post('/events').send(posted).expect(200);
    await alice.get('/events').query({ source: source.id, kind: 'complaint' }).expect(200);
    await world.app.get(SourceEventsRepository).findLastReceived(source.accountId, [source.id, quiet.id]);
    await alice
      .post('/suppressions/batch/remove')
      .send({ emails: batch.slice(0, 100) })
      .expect(200);
    await importAndRevert(batch, {});
    await importAndRevert(batch, { topic: 'news' });
    await liftAndRevert(batch);
  };

  const findHeld = () =>
    transactionBefore(world.app.get<DataSource>(getDataSourceToken()), inStep(), (transaction) =>
      world.app.get(HoldsRepository).find(source.accountId, INCIDENT, HELD_UNTIL, transaction),
    );

  const liftAndRevert = async (emails: string[]) => {
    const rows = emails.map((email) => `lifted-${emails.length}-${email},bounce\n`);
    const { id: actor } = await importFile(world, world.alice, `email,cause\n${rows.join('')}`);
    const { id, count } = await countLift(world, world.alice, { cause: 'bounce', actor });
    expect(count).toBe(emails.length);
    await world.as(world.alice).get(`/lifts/${id}/lines`).expect(200);
    await applyLift(world, world.alice, id, { confirm: count });
    expect(await revertLift(world, world.alice, id)).toMatchObject({ reverted: count });
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
    await transactionBefore(dataSource, inStep(), async (transaction) => {
      const placeholders = emails.map((email) => newPlaceholder(email, 'bounce'));
      const inserted = await reservations.reserve(account!.id, placeholders, transaction);
      const records = inserted.map(({ id: reservation, email }) => ({ email, reservation, record: null }));
      expect(records).toHaveLength(emails.length);
      await reservations.settle({ accountId: account!.id, actor }, records, [], transaction);
    });
  };

  return work;
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `person${number}@example.com`);
}
