import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why the pushes of a list wait, and whether its switches were turned off since its pushes were last looked through. */
export class AddPushErrorToProviderLists1767225600210 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE provider_lists
        ADD COLUMN push_error text,
        ADD COLUMN has_withdrawn boolean NOT NULL DEFAULT false
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE provider_lists DROP COLUMN push_error, DROP COLUMN has_withdrawn');
  }
}
