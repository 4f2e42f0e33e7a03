import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Delivery events ask the ledger for the last line of some kind about an address, and who changed a record. With these indexes,
 * they read a few lines, however long the history is. Few lines are in them: neither additions nor imports.
 */
export class IndexChangesOfRecords1767225600090 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS suppression_changes_later_changes_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY suppression_changes_later_changes_idx
      ON suppression_changes (account_id, suppression_id, cause, actor_id)
      WHERE action <> 'added' AND suppression_id IS NOT NULL
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS suppression_changes_bounce_removals_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY suppression_changes_bounce_removals_idx
      ON suppression_changes (account_id, email, revision)
      WHERE action = 'removed' OR action = 'cause_removed' AND cause = 'bounce'
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS suppression_changes_removals_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY suppression_changes_removals_idx
      ON suppression_changes (account_id, email, revision)
      WHERE action = 'removed' AND evidence ->> 'reverted_import' IS NULL
    `);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS suppression_changes_choices_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY suppression_changes_choices_idx
      ON suppression_changes (account_id, email, topic_id, revision)
      WHERE topic_id IS NOT NULL
    `);
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX suppression_changes_choices_idx');
    await queryRunner.query('DROP INDEX suppression_changes_removals_idx');
    await queryRunner.query('DROP INDEX suppression_changes_bounce_removals_idx');
    await queryRunner.query('DROP INDEX suppression_changes_later_changes_idx');
  }
}
