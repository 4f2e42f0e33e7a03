import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last line of the ledger that the totals of changes include. */
export class AddChangesUntil1767225600087 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE counted_accounts ADD COLUMN changes_until uuid');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE counted_accounts DROP COLUMN changes_until');
  }
}
