import { randomUUID } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate } from '../../src/database/startup/migrate.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { SCHEMA } from '../../src/schema.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const TABLES = ['accounts', 'api_keys', 'suppressions', 'suppression_changes', 'delivery_events', 'topics'];

class AddColumns1999999999999 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN added text NOT NULL DEFAULT ''`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN added`);
    }
  }
}

describe('GET /readyz', () => {
  let world: World;
  beforeEach(async () => (world = await createWorld()));
  afterEach(() => world.close());

  const waitingFor = async (pool: string) => {
    const gauge = world.app.get(Metrics).registry.getSingleMetric('suppression_list_database_waiting')!;
    return (await gauge.get()).values.find(({ labels }) => labels.pool === pool)!.value;
  };
  const addMigration = (name: string) =>
    world.database.query('INSERT INTO migrations (timestamp, name) VALUES (1999999999999, $1)', [name]);

  it('is 200 after a newer version has added to the schema, and requests succeed as before', async () => {
    const alice = world.as(world.alice);
    const useService = async (email: string) => {
      await alice.post('/suppressions').send({ email }).expect(201);
      await alice.post('/events').send({ type: 'complaint', email }).expect(200);
      const { body } = await alice.get(`/suppressions/${email}`).expect(200);
      expect(body).toMatchObject({ email, origin: 'complaint' });
      await alice
        .post('/suppressions/check')
        .send({ emails: [email] })
        .expect(200);
      await alice.get('/suppressions').expect(200);
      await alice.get(`/suppressions/${email}/history`).expect(200);
      await alice.get('/changes').expect(200);
    };
    await useService('before@example.com');
    const newer = { ...SCHEMA, migrations: [...SCHEMA.migrations, AddColumns1999999999999] };
    expect(await migrate(world.database.url, newer)).toEqual(['AddColumns1999999999999']);
    await world.anyone.get('/readyz').expect(200);
    await useService('after@example.com');
  });

  it('is 503 after a newer version has removed something from the schema', async () => {
    await addMigration('ContractAccounts1999999999999');
    const { body } = await world.anyone.get('/readyz').expect(503);
    expect(body.message).toBe('The database was migrated for a newer version of the service.');
    await world.anyone.get('/healthz').expect(200);
  });

  it('is 503 on a read-only database, such as a replica, and 200 once it is promoted', async () => {
    const name = new URL(world.database.url).pathname.slice(1);
    const disconnect = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'suppression-list' AND datname = '${name}'`;
    await world.database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await world.database.query(disconnect);
    await until(
      async () => (await world.anyone.get('/readyz')).body.message === 'The database is read-only.',
    );
    await world.database.query(
      `SET default_transaction_read_only = off; ALTER DATABASE ${name} RESET default_transaction_read_only`,
    );
    await world.database.query(disconnect);
    await until(async () => (await world.anyone.get('/readyz')).status === 200);
  });

  it('is 200 while requests wait for a locked table and use all other connections', async () => {
    const lock = await world.database.lock('suppressions');
    const alice = world.as(world.alice);
    const requests: Promise<unknown>[] = [];
    const blocked = () =>
      world.database.query(
        `SELECT pid, query_start FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
    // Requests that arrive together share a statement, and so a connection.
    const send = () => {
      const email = `${randomUUID()}@example.com`;
      requests.push(
        alice.get(`/suppressions/${email}`).then(({ status }) => status),
        alice
          .post('/suppressions')
          .send({ email })
          .then(({ status }) => status),
      );
    };
    try {
      await until(async () => {
        send();
        return (await waitingFor('lookups')) > 0 && (await waitingFor('main')) > 0;
      });
      const before = await blocked();
      await world.anyone.get('/readyz').expect(200);
      expect(await blocked()).toEqual(expect.arrayContaining(before));
    } finally {
      await lock.release();
    }
    await Promise.all(requests);
  });

  it('is 503 while a migration of this version is missing', async () => {
    await world.database.query('DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)');
    const { body } = await world.anyone.get('/readyz').expect(503);
    expect(body.message).toContain('npm run migrate');
  });

  it.each([
    [60_000, 'ahead of'],
    [-60_000, 'behind'],
  ])('warns once if the clocks of instance and database differ by %d ms', async (difference, direction) => {
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + difference);
    const warnings = () =>
      world
        .logLines()
        .filter(({ level }) => level === 'warn')
        .map(({ msg }) => msg);
    try {
      await world.anyone.get('/readyz').expect(200);
      await world.anyone.get('/readyz').expect(200);
      expect(warnings()).toEqual([
        expect.stringMatching(
          `^the clock of this instance is [56]\\d seconds ${direction} that of the database;`,
        ),
      ]);
      const metric = await world.app
        .get(Metrics)
        .registry.getSingleMetric('suppression_list_clock_difference_seconds')!
        .get();
      expect(metric.values[0]!.value).toBeGreaterThan(50);
      clock.mockRestore();
      await world.anyone.get('/readyz').expect(200);
      expect(warnings()).toHaveLength(1);
    } finally {
      clock.mockRestore();
    }
  });
});
