import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from '../../src/database/is-database-unavailable.js';
import { transactionBefore } from '../../src/database/transaction.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

const SENDERS = 8;
const OWN_BACKENDS = `datname = current_database() AND application_name = 'suppression-list'`;

describe('a database whose connections break', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('never causes a 500, whatever the transaction was about to do', async () => {
    const test = { finished: false };
    const statuses: number[] = [];
    const send = async (index: number) => {
      while (!test.finished) {
        const email = `terminated-${index}-${statuses.length}@example.com`;
        const { status } = await world.as(world.alice).post('/events').send({ type: 'bounce', email });
        statuses.push(status);
      }
    };
    const senders = Promise.all(Array.from({ length: SENDERS }, (_, index) => send(index)));
    await until(async () => {
      await world.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OWN_BACKENDS} AND state <> 'idle'`,
      );
      const answered = statuses.length;
      await until(() => statuses.length >= answered + 2 * SENDERS);
      return statuses.filter((status) => status === 503).length > 30;
    });
    test.finished = true;
    await senders;
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });

  it('is reported as unavailable if the connection breaks between the last statement and COMMIT', async () => {
    const dataSource = world.app.get<DataSource>(getDataSourceToken());
    const lost = transactionBefore(dataSource, performance.now() + 60_000, async ({ queryRunner }) => {
      const [{ pid }] = await queryRunner!.query('SELECT pg_backend_pid() AS pid');
      await world.database.query('SELECT pg_terminate_backend($1)', [pid]);
      await until(() => queryRunner!.isReleased);
    });
    expect(isDatabaseUnavailable(await lost.catch((error: unknown) => error))).toBe(true);
  });
});

it('counts a transaction that was idle for too long as unavailable', () => {
  const error = Object.assign(new Error('terminating connection'), { code: '25P03' });
  expect(isDatabaseUnavailable(error)).toBe(true);
});

describe('DDL under a running service', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ DATABASE_POOL_SIZE: '4' })));
  afterAll(() => world.close());

  const retype = (type: string) =>
    world.database.query(`ALTER TABLE suppressions ALTER COLUMN email TYPE ${type}`);

  it('that changes the result of a prepared statement is noticed and the statement prepared again', async () => {
    await suppress(world, world.alice, ['ddl@example.com']);
    const alice = world.as(world.alice);
    const requests = () => [
      alice.get('/suppressions/ddl@example.com'),
      alice.post('/suppressions').send({ email: 'ddl@example.com' }),
      alice.post('/suppressions/check').send({ emails: ['ddl@example.com'] }),
      alice.post('/suppressions/batch/remove').send({ emails: ['nobody@example.com'] }),
      alice.post('/events').send({ type: 'bounce', email: 'ddl-event@example.com' }),
    ];
    const statuses = async () => (await Promise.all(requests())).map(({ status }) => status);
    for (const type of ['varchar', 'text', 'varchar']) {
      for (let round = 0; round < 4; round++) {
        expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
      }
      await retype(type);
    }
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  });

  it('that hides the tables makes the service unavailable, not broken', async () => {
    await world.database.query('ALTER SCHEMA public RENAME TO hidden');
    try {
      const { body } = await world.as(world.alice).get('/suppressions/nobody@example.com').expect(503);
      expect(body.message).toContain('search_path');
      await world.anyone.get('/readyz').expect(503);
    } finally {
      await world.database.query('ALTER SCHEMA hidden RENAME TO public');
    }
    await until(
      async () => (await world.as(world.alice).get('/suppressions/nobody@example.com')).status === 404,
    );
  });
});
