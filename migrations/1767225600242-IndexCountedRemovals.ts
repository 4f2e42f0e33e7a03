import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The removals of a day that count for a cap: those that were sent without a plan, and those that a person confirmed. */
export class IndexCountedRemovals1767225600242 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_sent_removals_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY provider_list_pushes_sent_removals_idx
      ON provider_list_pushes (account_id, provider_list_id, attempted_at)
      WHERE action = 'remove' AND consent IS NULL AND plan_id IS NULL
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_consents_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY provider_list_pushes_consents_idx
      ON provider_list_pushes (account_id, provider_list_id, created_at)
      WHERE consent IS NOT NULL
    `);
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX provider_list_pushes_consents_idx');
    await queryRunner.query('DROP INDEX provider_list_pushes_sent_removals_idx');
  }
}
