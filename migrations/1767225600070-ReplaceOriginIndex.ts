import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * All causes of a record are in the index as a mask: a page of a cause or an origin is read as a range of each mask. The previous
 * index is dropped at once, because no version that needs it was released.
 */
export class ReplaceOriginIndex1767225600070 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS suppressions_account_id_causes_created_at_idx',
    );
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY suppressions_account_id_causes_created_at_idx
      ON suppressions (account_id, (weaker_causes | cause_bit(cause)), created_at)
    `);
    await queryRunner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS suppressions_account_id_origin_created_at_idx',
    );
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_origin_created_at_idx
      ON suppressions (account_id, (CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END), created_at)
    `);
    await queryRunner.query('DROP INDEX suppressions_account_id_causes_created_at_idx');
  }
}
