import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddInboxRetention1767225600120 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE accounts
      ADD COLUMN inbox_retention smallint,
      ADD CONSTRAINT accounts_inbox_retention_check CHECK (inbox_retention BETWEEN 7 AND 3650)
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN accounts.inbox_retention IS 'Days; null: the setting INBOX_RETENTION_DAYS'
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE accounts DROP COLUMN inbox_retention');
  }
}
