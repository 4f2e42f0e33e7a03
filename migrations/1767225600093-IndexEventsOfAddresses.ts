import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What decides about an event is the latest event of some kind about the same address, or the first ones about its record. Each of
 * these indexes answers one such question, so that a few events are read, however many there are.
 */
export class IndexEventsOfAddresses1767225600093 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    for (const [name, definition] of INDEXES) {
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON delivery_events ${definition}`);
    }
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [name] of INDEXES) {
      await queryRunner.query(`DROP INDEX ${name}`);
    }
  }
}

const INDEXES = [
  [
    'delivery_events_reports_of_record_idx',
    `(account_id, suppression_id, source_id)
    WHERE effect IN ('suppress', 'suppress-if-absent') AND suppression_id IS NOT NULL`,
  ],
  [
    'delivery_events_reports_idx',
    `(account_id, recipient, source_id, coalesce(occurred_at, received_at))
    WHERE effect IN ('suppress', 'suppress-if-absent')`,
  ],
  [
    'delivery_events_early_removals_idx',
    `(account_id, recipient, source_id, occurred_at)
    WHERE effect = 'lift' AND kind = 'removed' AND outcome = 'nothing' AND suppression_id IS NULL AND occurred_at IS NOT NULL`,
  ],
  [
    'delivery_events_arrivals_idx',
    `(account_id, recipient, coalesce(occurred_at, received_at))
    WHERE effect = 'success'`,
  ],
  [
    'delivery_events_soft_failures_idx',
    `(account_id, recipient, source_id, coalesce(occurred_at, received_at))
    WHERE effect = 'watch' AND kind = 'bounce'`,
  ],
  [
    'delivery_events_choices_idx',
    `(account_id, recipient, topic_id, source_id, occurred_at)
    WHERE topic_id IS NOT NULL`,
  ],
] as const;
