import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The removals of a day are counted in the outbox. No released version knows the columns. */
export class ContractRemovalsOfProviderLists1767225600243 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE provider_lists DROP COLUMN removals, DROP COLUMN removals_since');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE provider_lists
        ADD COLUMN removals_since timestamptz(3),
        ADD COLUMN removals integer NOT NULL DEFAULT 0
    `);
  }
}
