import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is asked of the inbox about an address is a few events of one effect among very many others, or the latest moment.
 * The expression for the moment and the conditions are those of the statements.
 */
export class IndexDeliveryEventsOfAddress1767225600012 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_recipient_list_idx
      ON delivery_events (account_id, recipient)
      WHERE effect IN ('suppress', 'suppress-if-absent', 'lift')
    `);
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_recipient_mail_idx
      ON delivery_events (account_id, recipient, effect, coalesce(occurred_at, received_at))
      WHERE effect IN ('watch', 'success')
    `);
    await queryRunner.query('DROP INDEX delivery_events_account_id_recipient_idx');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_recipient_idx
      ON delivery_events (account_id, recipient)
      WHERE recipient IS NOT NULL
    `);
    await queryRunner.query('DROP INDEX delivery_events_account_id_recipient_mail_idx');
    await queryRunner.query('DROP INDEX delivery_events_account_id_recipient_list_idx');
  }
}
