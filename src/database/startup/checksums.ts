import { createHash } from 'node:crypto';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { followMigration } from '../citus/spread-database.js';
import { unlessNoTable, type Migration } from './schema.js';

/** The statements of a migration, none of which may depend on the result of another. */
export async function statementsOf(
  MigrationClass: Migration,
  direction: 'up' | 'down' = 'up',
): Promise<string[]> {
  const statements: string[] = [];
  const recorder = { query: async (sql: string) => void statements.push(sql) };
  await new MigrationClass()[direction](recorder as unknown as QueryRunner);
  return statements;
}

/** The checksum, in hexadecimal, of everything that a migration does to a database, without its comments. */
export async function checksumOf(MigrationClass: Migration): Promise<string> {
  const { transaction = true } = new MigrationClass();
  const up = await statementsOf(MigrationClass);
  const down = await statementsOf(MigrationClass, 'down');
  return createHash('sha256').update(JSON.stringify({ transaction, up, down })).digest('hex');
}

/** Wraps a migration, so that it also records its checksum and makes the changes that Citus needs, in the same transaction. */
export function recordingChecksum(url: string, MigrationClass: Migration): Migration {
  const { name } = MigrationClass;
  const Recording = class extends MigrationClass implements MigrationInterface {
    override async up(queryRunner: QueryRunner): Promise<void> {
      await super.up(queryRunner);
      await followMigration(url, queryRunner);
      const values = [name, await checksumOf(MigrationClass)];
      await queryRunner.query(
        `INSERT INTO migration_checksums (name, checksum) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum`,
        values,
      );
    }

    override async down(queryRunner: QueryRunner): Promise<void> {
      await super.down(queryRunner);
      await followMigration(url, queryRunner);
      await queryRunner.query('DELETE FROM migration_checksums WHERE name = $1', [name]);
    }
  };
  return Object.defineProperty(Recording, 'name', { value: name });
}

/** Creates the table of checksums. Records those of migrations that ran before it existed, which must be the released ones. */
export async function createChecksums(dataSource: DataSource, ran: Migration[]): Promise<void> {
  const checksums = await Promise.all(ran.map(checksumOf));
  await dataSource.transaction(async (manager) => {
    await manager.query(`
      CREATE TABLE IF NOT EXISTS migration_checksums (
        name      text  NOT NULL,
        checksum  text  NOT NULL,
        CONSTRAINT migration_checksums_pkey PRIMARY KEY (name)
      )
    `);
    await manager.query(
      `INSERT INTO migration_checksums (name, checksum)
      SELECT * FROM unnest($1::text[], $2::text[])
      ON CONFLICT (name) DO NOTHING`,
      [ran.map(({ name }) => name), checksums],
    );
  });
}

/** @returns the checksums that the database has, by the names of the migrations; undefined before it has the table */
export async function readChecksums(dataSource: DataSource): Promise<Map<string, string> | undefined> {
  const rows = await unlessNoTable(
    dataSource.query<{ name: string; checksum: string }[]>('SELECT name, checksum FROM migration_checksums'),
  );
  return rows && new Map(rows.map(({ name, checksum }) => [name, checksum]));
}
