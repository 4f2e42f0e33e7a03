import { readdir, readFile } from 'node:fs/promises';
import { withMigrations } from '../../src/database/data-source.js';
import { checksumOf, readChecksums } from '../../src/database/startup/checksums.js';
import { describeSchema } from '../../src/database/startup/known-history.js';
import { migrate } from '../../src/database/startup/migrate.js';
import { numberOf } from '../../src/database/startup/schema.js';
import { SCHEMA } from '../../src/schema.js';
import { createTestDatabase } from '../support/test-database.js';

const names = SCHEMA.migrations.map(({ name }) => name);

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
    const database = await createTestDatabase({ migrated: false });
    try {
      const migrations = SCHEMA.migrations.filter(({ name }) => numberOf(name) <= SCHEMA.released.last);
      await migrate(database.url, { ...SCHEMA, migrations });
      const objects = await withMigrations(database.url, SCHEMA, describeSchema);
      delete objects['table migrations'];
      delete objects['table migration_checksums'];
      expect(objects).toEqual(SCHEMA.released.objects);
    } finally {
      await database.drop();
    }
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
