import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A queue, like `feed_pending`: the changes of the totals that statements made. Each element is one record; its causes are
 * negative if it is to be subtracted.
 */
export class CreatePendingTotals1767225600082 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE pending_totals (
        id          bigserial           NOT NULL,
        account_id  integer             NOT NULL,
        domains     text[] COLLATE "C"  NOT NULL,
        days        date[]              NOT NULL,
        causes      smallint[]          NOT NULL,
        CONSTRAINT pending_totals_pkey PRIMARY KEY (account_id, id)
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE pending_totals');
  }
}
