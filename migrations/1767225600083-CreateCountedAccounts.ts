import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The accounts whose totals are complete. Instances lock a row while they add pending changes to the totals. */
export class CreateCountedAccounts1767225600083 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE counted_accounts (
        account_id  integer  NOT NULL,
        CONSTRAINT counted_accounts_pkey            PRIMARY KEY (account_id),
        CONSTRAINT counted_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE counted_accounts');
  }
}
