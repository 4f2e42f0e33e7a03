import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Removals, of which there are few, are found without the additions, of which a first push has many. */
export class IndexUrgentPushes1767225600211 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_removals_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY provider_list_pushes_removals_idx
      ON provider_list_pushes (account_id, provider_list_id, next_attempt_at)
      WHERE status = 'pending' AND action = 'remove'
    `);
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX provider_list_pushes_removals_idx');
  }
}
