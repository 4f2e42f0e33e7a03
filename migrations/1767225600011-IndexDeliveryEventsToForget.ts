import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The oldest events that may be forgotten, without those before them that are kept. */
export class IndexDeliveryEventsToForget1767225600011 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_id_idx
      ON delivery_events (account_id, id)
      WHERE effect IN ('watch', 'success', 'none')
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX delivery_events_account_id_id_idx');
  }
}
