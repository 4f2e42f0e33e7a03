import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only 0.1.0 used these indexes of events of an address. `IndexEventsOfAddresses` created smaller ones in their place. */
export class ContractIndexesOfDeliveryEvents1767225600280 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS delivery_events_account_id_recipient_list_idx',
    );
    await queryRunner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS delivery_events_account_id_recipient_mail_idx',
    );
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
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
  }
}
