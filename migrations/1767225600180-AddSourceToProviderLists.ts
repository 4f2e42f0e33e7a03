import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The source whose provider keeps the list. It may have been deleted since. */
export class AddSourceToProviderLists1767225600180 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE provider_lists ADD COLUMN source_id uuid');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE provider_lists DROP COLUMN source_id');
  }
}
