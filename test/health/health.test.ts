import { randomUUID } from 'node:crypto';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { poolOf } from '../../src/database/pool.js';
import { migrate } from '../../src/database/startup/migrate.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { AccountKeys } from '../../src/pseudonyms/account-keys.js';
import { SCHEMA } from '../../src/schema.js';
import { StoredSecrets } from '../../src/secrets/stored-secrets.js';
import { forbidStatistics, recordStatements, rowsOfStatements, type Statements } from '../support/plans.js';
import { createSendGridList } from '../support/provider-lists.js';
import { createSource } from '../support/sources.js';
import { startTestApp, TEST_SECRETS_KEY, type TestApp } from '../support/test-app.js';
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

  it('is 503 on a read-only database, and 200 as soon as it accepts writes, on the connections of requests, too', async () => {
    const write = (index: number) =>
      world
        .as(world.alice)
        .post('/suppressions')
        .send({ email: `person${index}@example.com` })
        .then(({ status, body }) => (status === 201 ? status : body.message));
    const writeOnAllConnections = () => Promise.all(Array.from({ length: 20 }, (_, index) => write(index)));
    const name = new URL(world.database.url).pathname.slice(1);
    const disconnect = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'suppression-list' AND datname = '${name}'`;
    await world.database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await world.database.query(disconnect);
    await until(
      async () => (await world.anyone.get('/readyz')).body.message === 'The database is read-only.',
    );
    expect(new Set(await writeOnAllConnections())).toEqual(new Set(['The database is read-only.']));
    await world.database.query(
      `SET default_transaction_read_only = off; ALTER DATABASE ${name} RESET default_transaction_read_only`,
    );
    await until(async () => (await world.anyone.get('/readyz')).status === 200);
    // A connection that was opened meanwhile is closed after its first write has failed.
    await until(async () => (await writeOnAllConnections()).every((status) => status === 201));
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

const KINDS = ['erased addresses', 'provider lists', 'sources', 'unsubscribe links', 'webhooks'];

const SETTINGS = { PUBLIC_URL: 'https://lists.example.com', PROVIDER_API_URL_SENDGRID: 'http://127.0.0.1:1' };

const METRIC = 'suppression_list_secrets_unreadable';

/** What an instance says about the secrets in its metrics, once it has looked at them. */
async function unreadable({ app }: Pick<TestApp, 'app'>): Promise<Record<string, number>> {
  const gauge = app.get(Metrics).registry.getSingleMetric(METRIC)!;
  await until(async () => (await gauge.get()).values.length === KINDS.length);
  return Object.fromEntries((await gauge.get()).values.map(({ labels, value }) => [labels.kind, value]));
}

const all = (value: number) => Object.fromEntries(KINDS.map((kind) => [kind, value]));

const errorsOf = ({ logLines }: TestApp) =>
  logLines().filter(({ level, context }) => level === 'error' && context === 'SecretsCheck');

describe('an instance that starts', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(SETTINGS);
    await createSource(world, 'mailgun');
    await createSendGridList(world, world.alice);
    const alice = world.as(world.alice);
    await alice
      .post('/webhooks')
      .send({ endpoint: 'https://example.com/webhooks', events: ['suppression.added'] })
      .expect(201);
    await alice
      .post('/unsubscribe-links')
      .send({ emails: ['ada@example.com'] })
      .expect(200);
    await world.app.get(AccountKeys).of({ accountId: world.acme.id, deadline: Infinity });
  });
  afterAll(() => world.close());

  const startWith = (settings: Record<string, string>) =>
    startTestApp(world.database.url, { ...SETTINGS, ...settings });

  it('says nothing if its SECRETS_KEY, or the previous one, decrypts the secrets of every kind', async () => {
    const SECRETS_KEY = 'b6'.repeat(32);
    const rotating = { SECRETS_KEY, SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY };
    for (const settings of [{ SECRETS_KEY: TEST_SECRETS_KEY }, rotating]) {
      const service = await startWith(settings);
      expect(await unreadable(service)).toEqual(all(0));
      expect(errorsOf(service)).toEqual([]);
      await service.close();
    }
  });

  it.each([
    ['another key', { SECRETS_KEY: 'b6'.repeat(32) }],
    ['no key', { SECRETS_KEY: '' }],
  ])('logs one error that says what to do if it has %s, and is ready', async (_what, settings) => {
    const service = await startWith(settings);
    expect(await unreadable(service)).toEqual(all(1));
    expect(errorsOf(service)).toMatchObject([
      {
        msg: expect.stringMatching(/SECRETS_KEY.*restore that key/),
        secrets: expect.stringContaining('webhooks'),
      },
    ]);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.close();
  });

  it('is not deceived by sources and deleted lists without secrets, wherever they are', async () => {
    await world.database.query(
      `INSERT INTO sources (account_id, id, url_id, provider, name, secrets, options)
      SELECT account_id, ends.id::uuid, url_id || ends.id, provider, 'without secrets ' || ends.id, '{}', options
      FROM sources, (VALUES ('00000000-0000-7000-8000-000000000000'), ('ffffffff-ffff-7fff-8fff-fffffffffffe')) AS ends (id)
      LIMIT 2`,
    );
    const deleted = await createSendGridList(world, world.charlie, { scope: { subuser: 'deleted' } });
    await world.as(world.charlie).delete(`/provider-lists/${deleted}`).expect(200);
    const service = await startWith({ SECRETS_KEY: 'b6'.repeat(32) });
    expect(await unreadable(service)).toEqual(all(1));
    await service.close();
  });

  it('finds the secrets that were encrypted before or after another key was set', async () => {
    await world.database.query(
      `INSERT INTO sources (account_id, id, url_id, provider, name, secrets, options)
      SELECT account_id, 'ffffffff-ffff-7fff-8fff-ffffffffffff', 'x' || url_id, provider, 'broken', '{"signing_key": "AAAA"}', options
      FROM sources
      LIMIT 1`,
    );
    const service = await startWith({});
    expect(await unreadable(service)).toEqual({ ...all(0), sources: 1 });
    await service.close();
  });

  it('looks at few sources, however many have no secrets', async () => {
    const used: Statements = new Map();
    recordStatements(world, used);
    await forbidStatistics(world);
    await world.database.query(
      `INSERT INTO sources (account_id, id, url_id, provider, name, secrets, options)
      SELECT $1, gen_random_uuid(), 'without-any-secrets-' || number, 'ses', 'ses', '{}', '{}'
      FROM generate_series(1000, 5999) AS number`,
      [world.acme.id],
    );
    await world.app.get(StoredSecrets).areReadable();
    const rows = await rowsOfStatements(poolOf(world.app.get(DataSource)), used, 'force_generic_plan');
    expect(rows['sample-secrets-of-sources']).toBeLessThan(20);
  });
});
