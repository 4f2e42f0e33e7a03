import { Logger } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createDataSource, createMigrationDataSource } from '../../src/database/data-source.js';
import { migrate, planMigrations } from '../../src/database/startup/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { OperatorError, reportProblem } from '../../src/process/operator-error.js';
import { SCHEMA } from '../../src/schema.js';

class AddColumn1999999999999 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE accounts ADD COLUMN thing text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE accounts DROP COLUMN thing');
  }
}

/** As CONTRIBUTING.md describes it. */
class IndexCauses1999999999999 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS suppressions_causes');
    await queryRunner.query('CREATE INDEX CONCURRENTLY suppressions_causes ON suppressions (cause)');
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX suppressions_causes');
  }
}

/** What makes a statement of the previous version fail. */
const TAKES_AWAY =
  /\b(?:DROP (?:TABLE|COLUMN|TYPE|FUNCTION)|RENAME|SET NOT NULL|ALTER COLUMN \S+ (?:SET DATA )?TYPE)\b/i;

describe('the migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase({ migrated: false })));
  afterEach(() => database.drop());

  it('run once when ten instances start at once', async () => {
    const ran = await Promise.all(
      Array.from({ length: 10 }, () => migrate(database.url, SCHEMA, { report: () => undefined })),
    );
    expect(ran.flat()).toEqual(SCHEMA.migrations.map(({ name }) => name));
    expect(await migrate(database.url, SCHEMA)).toEqual([]);
  });

  it('report that they wait for another instance, and stop waiting on request', async () => {
    const lock = await database.lockMigrations();
    const stopping = new AbortController();
    const reports: string[] = [];
    const report = (text: string) => void reports.push(text);
    const waiting = migrate(database.url, SCHEMA, { report, stopping: stopping.signal });
    await until(() => reports.length > 0);
    stopping.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await lock.release();
    expect(reports).toEqual(['waiting for another instance, which runs migrations']);
    expect(await database.query("SELECT FROM pg_class WHERE relname = 'accounts'")).toEqual([]);
  });

  it('say which of them failed, why, and what changed', async () => {
    class Broken1999999999999 extends AddColumn1999999999999 {
      override async up(queryRunner: QueryRunner): Promise<void> {
        await super.up(queryRunner);
        await super.up(queryRunner);
      }
    }
    class BrokenInParts1999999999999 extends Broken1999999999999 {
      transaction = false;
    }
    const failureOf = async (broken: typeof Broken1999999999999) => {
      const migrations = [...SCHEMA.migrations, broken];
      const debug = jest.fn();
      Logger.overrideLogger({ log: jest.fn(), warn: jest.fn(), error: jest.fn(), debug });
      const failure: unknown = await migrate(database.url, { ...SCHEMA, migrations }).catch((error) => error);
      expect(debug.mock.calls).toEqual([[expect.stringContaining('migrations.test.ts'), 'Database']]);
      expect(failure).toBeInstanceOf(OperatorError);
      return (failure as Error).message;
    };
    const reason = 'column "thing" of relation "accounts" already exists';
    const names = SCHEMA.migrations.map(({ name }) => name).join(', ');
    const advice = 'Correct the cause, and migrate again.';
    expect(await failureOf(Broken1999999999999)).toBe(
      `The migration Broken1999999999999 failed and changed nothing: ${reason}. Done before it: ${names}. ${advice}`,
    );
    expect(await failureOf(BrokenInParts1999999999999)).toBe(
      `The migration BrokenInParts1999999999999 failed, and may have changed a part: ${reason}. No other migration ran. ${advice}`,
    );
  });

  it('are listed by a plan that changes nothing', async () => {
    const planned = await planMigrations(database.url, SCHEMA);
    expect(planned.map(({ name }) => name)).toEqual(SCHEMA.migrations.map(({ name }) => name));
    expect(planned[0]!.statements.join()).toContain('CREATE TABLE accounts');
    expect(await database.query("SELECT FROM pg_class WHERE relname IN ('accounts', 'migrations')")).toEqual(
      [],
    );
    await migrate(database.url, SCHEMA);
    expect(await planMigrations(database.url, SCHEMA)).toEqual([]);
  });

  it('run whatever isolation level the database has by default', async () => {
    const { name } = database;
    await database.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    expect(await migrate(database.url, SCHEMA)).toHaveLength(SCHEMA.migrations.length);
  });

  it('are named Contract… if they remove what the previous version needs', async () => {
    const planned = await planMigrations(database.url, SCHEMA);
    const misnamed = planned.filter(
      ({ name, statements }) =>
        statements.some((sql) => TAKES_AWAY.test(sql)) && !name.startsWith('Contract'),
    );
    expect(misnamed).toEqual([]);
  });

  it('refuse a database that cannot hold every address', async () => {
    const name = `${new URL(database.url).pathname.slice(1)}_latin`;
    await database.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    try {
      await expect(migrate(url.href, SCHEMA)).rejects.toThrow(/encoding LATIN1, .* ENCODING 'UTF8'/);
    } finally {
      await database.query(`DROP DATABASE ${name}`);
    }
  });
});

describe('the migrations of a migrated database', () => {
  let original: TestDatabase;
  let database: TestDatabase;
  beforeAll(async () => {
    original = await createTestDatabase({ migrated: false });
    await migrate(original.url, SCHEMA);
  });
  beforeEach(async () => (database = await createTestDatabase({ copyOf: original })));
  afterEach(() => database.drop());
  afterAll(() => original.drop());

  it('do not hold up requests while they wait for a table', async () => {
    await database.query("INSERT INTO accounts (name) VALUES ('acme')");
    const waiting = async () => {
      const rows = await database.query(
        "SELECT FROM pg_stat_activity WHERE query ~ 'ADD COLUMN thing' AND wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    };
    const { release } = await database.lockRow('accounts', 'true');
    const migrating = migrate(database.url, {
      ...SCHEMA,
      migrations: [...SCHEMA.migrations, AddColumn1999999999999],
    });
    await until(waiting);
    await until(async () => !(await waiting()));
    expect(await database.query('SELECT name FROM accounts')).toEqual([{ name: 'acme' }]);
    await release();
    expect(await migrating).toEqual(['AddColumn1999999999999']);
  });

  it('stop if they lose the lock that keeps other instances from migrating', async () => {
    class Waiting1999999999999 extends AddColumn1999999999999 {
      override async up(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.query('SET lock_timeout = 0; LOCK TABLE accounts');
      }
    }
    const { release } = await database.lock('accounts');
    const migrating = migrate(database.url, {
      ...SCHEMA,
      migrations: [...SCHEMA.migrations, Waiting1999999999999],
    });
    const refused = expect(migrating).rejects.toThrow('keeps other instances from migrating broke');
    await database.untilWaiting();
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await refused;
    await release();
    await until(async () => (await migrate(database.url, SCHEMA).catch(() => ['failed'])).length === 0);
  });

  it('are repeated after a deadlock with a request', async () => {
    class Deadlocked1999999999999 extends AddColumn1999999999999 {
      override async up(queryRunner: QueryRunner): Promise<void> {
        await super.up(queryRunner);
        await queryRunner.query(
          "DO $$ BEGIN IF nextval('attempts') = 1 THEN RAISE deadlock_detected; END IF; END $$",
        );
      }
    }
    await database.query('CREATE SEQUENCE attempts');
    const migrations = [...SCHEMA.migrations, Deadlocked1999999999999];
    const migrated = await migrate(database.url, { ...SCHEMA, migrations }, { report: () => undefined });
    expect(migrated).toEqual(['Deadlocked1999999999999']);
    expect(await database.query('SELECT last_value FROM attempts')).toEqual([{ last_value: '2' }]);
  });

  it('create an index without blocking writes, and wait only for other transactions', async () => {
    const [account] = await database.query("INSERT INTO accounts (name) VALUES ('acme') RETURNING id");
    const { release } = await database.lockPlace(account!.id, 'first@example.com');
    const migrating = migrate(database.url, {
      ...SCHEMA,
      migrations: [...SCHEMA.migrations, IndexCauses1999999999999],
    });
    await database.untilWaiting();
    const another = await database.lockPlace(account!.id, 'second@example.com');
    await another.release();
    await release();
    expect(await migrating).toEqual(['IndexCauses1999999999999']);
    const indexes = await database.query(
      "SELECT indisvalid FROM pg_index WHERE indexrelid = 'suppressions_causes'::regclass",
    );
    expect(indexes).toEqual([{ indisvalid: true }]);
  });

  it('release their lock when they fail', async () => {
    class Broken1999999999999 extends AddColumn1999999999999 {
      override async up(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.query('SELECT 1 / 0');
      }
    }
    const broken = { ...SCHEMA, migrations: [...SCHEMA.migrations, Broken1999999999999] };
    await expect(migrate(database.url, broken)).rejects.toThrow('division by zero');
    expect(await migrate(database.url, SCHEMA)).toEqual([]);
  });

  it('say what to do if the disk of the database is full', async () => {
    class Broken1999999999999 extends AddColumn1999999999999 {
      override async up(queryRunner: QueryRunner): Promise<void> {
        const message = 'could not extend file "base/5/1": No space left on device';
        await queryRunner.query(`DO $$ BEGIN RAISE disk_full USING MESSAGE = '${message}'; END $$`);
      }
    }
    const report = jest.spyOn(console, 'error').mockReturnValue();
    const broken = { ...SCHEMA, migrations: [...SCHEMA.migrations, Broken1999999999999] };
    expect(await migrate(database.url, broken).catch(reportProblem)).toBe(1);
    expect(report.mock.calls).toEqual([
      [
        'The disk of the database is full (could not extend file "base/5/1": No space left on device). ' +
          'Free space on it, and try again.',
      ],
    ]);
    report.mockRestore();
  });

  it('can be reverted without leaving anything behind, and run again', async () => {
    const inventory = async () => {
      const rows = await database.query<{ kind: string; name: string }>(`
        SELECT 'relation' AS kind, relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'type', typname FROM pg_type WHERE typnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'function', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'constraint', conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        ORDER BY 1, 2
      `);
      return rows.map(({ kind, name }) => `${kind} ${name}`).filter((line) => !/migration|PK_/.test(line));
    };
    const forth = await inventory();
    expect(forth.length).toBeGreaterThan(20);
    const dataSource = await createMigrationDataSource(database.url, SCHEMA).initialize();
    for (let undone = 0; undone < SCHEMA.migrations.length; undone++) {
      await dataSource.undoLastMigration();
    }
    await dataSource.destroy();
    expect(await inventory()).toEqual([]);
    await migrate(database.url, SCHEMA);
    expect(await inventory()).toEqual(forth);
  });

  it('create what the entities describe, and nothing else', async () => {
    const dataSource = await createDataSource(database.url, 2, SCHEMA).initialize();
    try {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
      const tables = await database.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT IN ('migrations', 'migration_checksums')`,
      );
      const described = dataSource.entityMetadatas.map(({ tableName }) => tableName);
      expect(tables.map(({ name }) => name).toSorted()).toEqual(described.toSorted());
    } finally {
      await dataSource.destroy();
    }
  });

  it.each([
    ['an address without @', `(1, gen_random_uuid(), 'nobody', 'manual', NULL)`, 'suppressions_email_check'],
    [
      'an address too long',
      `(1, gen_random_uuid(), repeat('x', 320) || '@y', 'manual', NULL)`,
      'suppressions_email_check',
    ],
    [
      'a manual record with a source',
      `(1, gen_random_uuid(), 'a@b', 'manual', gen_random_uuid())`,
      'suppressions_email_id_check',
    ],
    ['a record of nobody', `(2, gen_random_uuid(), 'a@b', 'bounce', NULL)`, 'suppressions_account_id_fkey'],
  ])('make the database refuse %s', async (_what, values, constraint) => {
    await database.query(`INSERT INTO accounts (name) VALUES ('acme')`);
    const insert = `INSERT INTO suppressions (account_id, id, email, cause, email_id, created_at)
                    SELECT v.*, now() FROM (VALUES ${values}) AS v (a, b, c, d, e)`;
    const typed = insert.replace('SELECT v.*', 'SELECT v.a, v.b, v.c, v.d::suppression_cause, v.e::uuid');
    await expect(database.query(typed)).rejects.toThrow(constraint);
  });
});
