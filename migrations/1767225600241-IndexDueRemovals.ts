import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The next removal is found without a sort: those that a person confirmed, and the others, which the former index had together. */
export class IndexDueRemovals1767225600241 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_confirmed_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY provider_list_pushes_confirmed_idx
      ON provider_list_pushes (account_id, provider_list_id, next_attempt_at, email)
      WHERE status = 'pending' AND consent IS NOT NULL
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_unconfirmed_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY provider_list_pushes_unconfirmed_idx
      ON provider_list_pushes (account_id, provider_list_id, next_attempt_at, email)
      WHERE status = 'pending' AND action = 'remove' AND consent IS NULL
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_removals_idx');
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX provider_list_pushes_unconfirmed_idx');
    await queryRunner.query('DROP INDEX provider_list_pushes_confirmed_idx');
    await queryRunner.query(`
      CREATE INDEX provider_list_pushes_removals_idx
      ON provider_list_pushes (account_id, provider_list_id, next_attempt_at)
      WHERE status = 'pending' AND action = 'remove'
    `);
  }
}
