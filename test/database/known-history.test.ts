import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { withMigrations } from '../../src/database/data-source.js';
import { checksumOf, readChecksums } from '../../src/database/startup/checksums.js';
import { describeSchema } from '../../src/database/startup/known-history.js';
import { migrate, planMigrations } from '../../src/database/startup/migrate.js';
import { numberOf } from '../../src/database/startup/schema.js';
import { SCHEMA } from '../../src/schema.js';
import { runCommand } from '../support/command-line.js';
import { refusalToStart } from '../support/refusal-to-start.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const RELEASED = SCHEMA.migrations.filter(({ name }) => numberOf(name) <= SCHEMA.released.last);
const names = SCHEMA.migrations.map(({ name }) => name);
const INSERT = 'INSERT INTO migrations (timestamp, name) VALUES ($1, $2)';

let released: TestDatabase;
let current: TestDatabase;
beforeAll(async () => {
  released = await createTestDatabase({ migrated: false });
  await migrate(released.url, { ...SCHEMA, migrations: RELEASED });
  current = await createTestDatabase({ copyOf: released });
  await migrate(current.url, SCHEMA);
});
afterAll(async () => {
  await released.drop();
  await current.drop();
});

describe('the service and its commands', () => {
  let database: TestDatabase;
  afterEach(() => database.drop());

  /** As the first release created it, which recorded no checksums. */
  const createReleased = async () => {
    database = await createTestDatabase({ copyOf: released });
    await database.query('DROP TABLE migration_checksums');
  };
  const createCurrent = async () => {
    database = await createTestDatabase({ copyOf: current });
  };

  const state = () =>
    database.query(
      "SELECT name, to_regclass('migration_checksums') AS checksums FROM migrations ORDER BY id",
    );

  /** Refused without a change of the database. */
  const refusal = async (): Promise<string> => {
    const before = await state();
    const refused = await refusalToStart({ DATABASE_URL: database.url });
    expect(refused).toEqual({ code: 1, problems: [expect.any(String)] });
    expect(await state()).toEqual(before);
    return refused.problems[0] as string;
  };
  const unreleased = (difference: string) =>
    `The database was created by a version before the first release (${difference}), so it cannot be upgraded. If you added ` +
    'columns, constraints, or triggers to it, remove them and upgrade again. Otherwise, export its lists with the version ' +
    'that created it, and import them into a new database, as docs/upgrading.md describes.';
  const otherMigration = (name: string, problem: string) =>
    `The database has run the migration ${name} ${problem}, so its tables may differ. Start the version that ran it, or ` +
    'restore a backup from before that, as docs/upgrading.md describes.';

  it('upgrade a database of the first release, and record the checksums of what it ran', async () => {
    await createReleased();
    const later = SCHEMA.migrations.filter((migration) => !RELEASED.includes(migration));
    const planned = await planMigrations(database.url, SCHEMA);
    expect(planned.map(({ name }) => name)).toEqual(later.map(({ name }) => name));
    const ran = await Promise.all(
      Array.from({ length: 3 }, () => migrate(database.url, SCHEMA, { report: () => undefined })),
    );
    expect(ran.flat()).toEqual(later.map(({ name }) => name));
    const recorded = await database.query<{ name: string }>('SELECT name FROM migration_checksums');
    expect(recorded.map(({ name }) => name).sort()).toEqual(names.toSorted());
  });

  it('ignore indexes and tables that an operator added to such a database', async () => {
    await createReleased();
    await database.query('CREATE INDEX by_name ON accounts (created_at); CREATE TABLE notes (note text)');
    await migrate(database.url, SCHEMA);
  });

  it.each([
    ['lacks a column', 'ALTER TABLE people DROP COLUMN first_signed_in_at', 'it differs in the table people'],
    [
      'lacks an index',
      'DROP INDEX jobs_pending_idx, webhooks_leased_until_idx',
      'it differs in the index jobs_pending_idx, index webhooks_leased_until_idx',
    ],
    [
      'has another function',
      "CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS 'SELECT gen_random_uuid()'",
      'it differs in the function uuid_v7()',
    ],
    [
      'ran a migration that no longer exists',
      `UPDATE migrations SET name = 'CreateOldTable1767225600072' WHERE timestamp = 1767225600072`,
      'it ran other migrations',
    ],
    [
      'lacks a migration of the first release',
      'DELETE FROM migrations WHERE timestamp = 1767225600070',
      'it ran other migrations',
    ],
  ])('refuse a database from before the first release, which %s', async (_what, change, difference) => {
    await createReleased();
    await database.query(change);
    expect(await refusal()).toBe(unreleased(difference));
  });

  it('upgrade a database of the first release when the column that an operator added is removed', async () => {
    await createReleased();
    await database.query('ALTER TABLE people ADD COLUMN crm_id text');
    expect(await refusal()).toBe(unreleased('it differs in the table people'));
    await database.query('ALTER TABLE people DROP COLUMN crm_id');
    expect(await migrate(database.url, SCHEMA)).not.toEqual([]);
  });

  it('refuse such a database whatever they are to do with it', async () => {
    await createReleased();
    await database.query('ALTER TABLE people DROP COLUMN first_signed_in_at');
    const problems = [unreleased('it differs in the table people')];
    const settings = { DATABASE_URL: database.url };
    expect(await refusalToStart({ ...settings, MIGRATE_ON_START: 'false' })).toEqual({ code: 1, problems });
    for (const command of [['account', 'list'], ['migrate'], ['migrate', '--plan']]) {
      expect(await runCommand(command, settings, tmpdir())).toEqual({ code: 1, stdout: '', problems });
    }
    await expect(migrate(database.url, SCHEMA)).rejects.toThrow(problems[0]);
  });

  it('refuse a database that ran a migration with other statements', async () => {
    await createCurrent();
    await database.query(
      "UPDATE migration_checksums SET checksum = repeat('0', 64) WHERE name ~ 'CreateTopics'",
    );
    expect(await refusal()).toBe(
      otherMigration('CreateTopics1767225600010', 'with other statements than this version has'),
    );
    await database.query("DELETE FROM migration_checksums WHERE name ~ 'CreateTopics'");
    expect(await refusal()).toContain('CreateTopics1767225600010 with other statements');
  });

  it('refuse a database that ran an unknown migration before one of theirs', async () => {
    await createCurrent();
    await database.query(INSERT, [1767225600009, 'CreateThings1767225600009']);
    expect(await refusal()).toBe(
      otherMigration('CreateThings1767225600009', 'which this version lacks although it has later ones'),
    );
  });

  it('accept the later migrations of a newer version', async () => {
    await createCurrent();
    await database.query(INSERT, [1999999999999, 'CreateThings1999999999999']);
    expect(await migrate(database.url, SCHEMA)).toEqual([]);
    const settings = { DATABASE_URL: database.url };
    expect(await runCommand(['account', 'list'], settings, tmpdir())).toMatchObject({
      code: 0,
      problems: [],
    });
  });
});

describe('the migrations that databases have run', () => {
  it('have not changed, and new ones are in checksums.json (npm run migration:checksums)', async () => {
    const checksums = JSON.parse(await readFile('migrations/checksums.json', 'utf8'));
    const actual = await Promise.all(
      SCHEMA.migrations.map(async (migration) => [migration.name, await checksumOf(migration)]),
    );
    expect(Object.fromEntries(actual)).toEqual(checksums);
  });

  it('have ascending numbers in both lists, so that a new one is above all earlier ones', async () => {
    const recorded = Object.keys(JSON.parse(await readFile('migrations/checksums.json', 'utf8')));
    for (const list of [recorded, names]) {
      expect(list).toEqual(list.toSorted((one, other) => numberOf(one) - numberOf(other)));
    }
  });

  it('are the files in migrations, each with its own number', async () => {
    const files = (await readdir('migrations')).filter((file) => /^\d/.test(file));
    const fileOf = (name: string) => `${numberOf(name)}-${name.slice(0, -13)}.ts`;
    expect(names.map(fileOf).sort()).toEqual(files.sort());
    expect(new Set(names.map(numberOf)).size).toBe(names.length);
  });

  it('have created the released schema', async () => {
    const objects = await withMigrations(released.url, SCHEMA, describeSchema);
    delete objects['table migrations'];
    delete objects['table migration_checksums'];
    expect(objects).toEqual(SCHEMA.released.objects);
  });

  it('are not taken for missing if the table of their checksums is damaged', async () => {
    const database = await createTestDatabase();
    try {
      await database.query('ALTER TABLE migration_checksums RENAME COLUMN checksum TO damaged');
      await expect(withMigrations(database.url, SCHEMA, readChecksums)).rejects.toThrow('does not exist');
      await database.query('DROP TABLE migration_checksums');
      expect(await withMigrations(database.url, SCHEMA, readChecksums)).toBeUndefined();
    } finally {
      await database.drop();
    }
  });
});
