import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Open pushes of each status, by address and by age, without those of the other status. The former index had both. */
export class IndexOpenPushes1767225600240 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_status_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY provider_list_pushes_status_idx
      ON provider_list_pushes (account_id, provider_list_id, status, email, list, address)
      WHERE status <> 'done'
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_age_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY provider_list_pushes_age_idx
      ON provider_list_pushes (account_id, provider_list_id, status, created_at)
      WHERE status <> 'done'
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS provider_list_pushes_open_idx');
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX provider_list_pushes_age_idx');
    await queryRunner.query('DROP INDEX provider_list_pushes_status_idx');
    await queryRunner.query(`
      CREATE INDEX provider_list_pushes_open_idx
      ON provider_list_pushes (account_id, provider_list_id, email, list, address)
      WHERE status <> 'done'
    `);
  }
}
