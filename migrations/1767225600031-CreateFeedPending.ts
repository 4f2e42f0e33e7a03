import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A queue: every statement that writes to the ledger adds a row, and a pass deletes it. Dead rows make its reader slow, so it
 * is vacuumed by their number and not by their share. Ids of changes do not compress.
 */
export class CreateFeedPending1767225600031 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE feed_pending (
        id          bigserial  NOT NULL,
        account_id  integer    NOT NULL,
        change_ids  uuid[]     NOT NULL,
        CONSTRAINT feed_pending_pkey PRIMARY KEY (account_id, id)
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
    `);
    await queryRunner.query('ALTER TABLE feed_pending ALTER COLUMN change_ids SET STORAGE EXTERNAL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE feed_pending');
  }
}
