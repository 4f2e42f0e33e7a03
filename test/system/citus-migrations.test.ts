import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spreadDatabase } from '../../src/database/citus/spread-database.js';
import { withMigrations } from '../../src/database/data-source.js';
import { migrate } from '../../src/database/startup/migrate.js';
import { SCHEMA } from '../../src/schema.js';
import { CitusNodes, hasCitus } from '../support/citus-nodes.js';

/** Changes the columns of a copied table in each way. */
class ChangeAccounts1767225999998 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE accounts
        ADD COLUMN added text COLLATE "C" NOT NULL DEFAULT 'as before',
        DROP COLUMN kept_blocks_version,
        ALTER COLUMN incident_min_share TYPE numeric(4, 3),
        ALTER COLUMN incident_min_addresses DROP NOT NULL
    `);
    await queryRunner.query('ALTER TABLE accounts RENAME COLUMN beta_admitted_at TO admitted_at');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'UPDATE accounts SET incident_min_addresses = 50 WHERE incident_min_addresses IS NULL',
    );
    await queryRunner.query(`
      ALTER TABLE accounts
        ALTER COLUMN incident_min_addresses SET NOT NULL,
        ALTER COLUMN incident_min_share TYPE real,
        ADD COLUMN kept_blocks_version uuid,
        DROP COLUMN added
    `);
    await queryRunner.query('ALTER TABLE accounts RENAME COLUMN admitted_at TO beta_admitted_at');
  }
}

(hasCitus ? describe : describe.skip)('the copies of accounts on their nodes', () => {
  let nodes: CitusNodes;
  const schema = { ...SCHEMA, migrations: [...SCHEMA.migrations, ChangeAccounts1767225999998] };
  const columnsOf = (table: string) =>
    nodes.query(
      `SELECT column_name, data_type, numeric_scale, collation_name
      FROM information_schema.columns WHERE table_name = $1 ORDER BY 1`,
      [table],
    );
  const rowsOf = async (table: string) => {
    const rows = await nodes.query<{ row: object }>(
      `SELECT to_jsonb(${table}) AS row FROM ${table} ORDER BY id`,
    );
    return rows.map(({ row }) => row);
  };
  const expectCopies = async () => {
    expect(await columnsOf('account_copies')).toEqual(await columnsOf('accounts'));
    expect(await rowsOf('account_copies')).toEqual(await rowsOf('accounts'));
  };

  beforeAll(async () => {
    nodes = await CitusNodes.start(1);
    await migrate(nodes.url, SCHEMA);
    await nodes.query(
      `INSERT INTO accounts (name, beta_admitted_at) VALUES ('first', now()), ('second', null)`,
    );
    await spreadDatabase(nodes.url, 4);
  }, 300_000);
  afterAll(() => nodes?.stop());

  it('get the columns that a migration gives the table, and those of before when it is reverted', async () => {
    await expectCopies();
    await migrate(nodes.url, schema);
    await expectCopies();
    await nodes.query(
      `INSERT INTO accounts (name, added, admitted_at, incident_min_share, incident_min_addresses)
      VALUES ('third', 'later', now(), 0.125, null)`,
    );
    await nodes.query(
      `UPDATE accounts SET incident_min_addresses = null, added = 'changed' WHERE name = 'first'`,
    );
    expect(await rowsOf('account_copies')).toEqual([
      expect.objectContaining({ name: 'first', added: 'changed', incident_min_addresses: null }),
      expect.objectContaining({ name: 'second', added: 'as before', incident_min_addresses: 50 }),
      expect.objectContaining({ name: 'third', added: 'later', incident_min_share: 0.125 }),
    ]);
    await expectCopies();
    await withMigrations(nodes.url, schema, (dataSource) => dataSource.undoLastMigration());
    await nodes.query(`UPDATE accounts SET incident_min_share = 0.25 WHERE name = 'second'`);
    expect(await rowsOf('account_copies')).toContainEqual(
      expect.objectContaining({ name: 'second', incident_min_share: 0.25, kept_blocks_version: null }),
    );
    await expectCopies();
  });
});
