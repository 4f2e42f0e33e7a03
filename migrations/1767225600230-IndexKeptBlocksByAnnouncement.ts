import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the kept blocks that were announced since an instance read the others. */
export class IndexKeptBlocksByAnnouncement1767225600230 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS kept_blocks_account_id_announced_at_pseudonym_idx',
    );
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY kept_blocks_account_id_announced_at_pseudonym_idx
      ON kept_blocks (account_id, announced_at, pseudonym)
    `);
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX kept_blocks_account_id_announced_at_pseudonym_idx');
  }
}
