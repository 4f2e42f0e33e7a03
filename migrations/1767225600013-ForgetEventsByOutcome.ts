import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A soft failure that was the one too many added a record, which its event explains: it is not to be forgotten. */
export class ForgetEventsByOutcome1767225600013 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX delivery_events_account_id_id_idx');
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_id_idx
      ON delivery_events (account_id, id)
      WHERE effect IN ('watch', 'success', 'none') AND outcome IN ('counted', 'nothing')
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX delivery_events_account_id_id_idx');
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_id_idx
      ON delivery_events (account_id, id)
      WHERE effect IN ('watch', 'success', 'none')
    `);
  }
}
