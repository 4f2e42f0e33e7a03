import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds expired records of all accounts without a visit to each account. */
export class IndexExpiryOfRecords1767225600155 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS suppressions_expires_at_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY suppressions_expires_at_idx
      ON suppressions (expires_at)
      WHERE expires_at IS NOT NULL
    `);
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX suppressions_expires_at_idx');
  }
}
