import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An account may have many rows in them, of which statements read some. */
const TABLES = [
  'suppressions',
  'suppression_changes',
  'delivery_events',
  'topic_preferences',
  'contacts',
  'webhook_deliveries',
  'provider_list_entries',
  'provider_list_lines',
  'provider_list_pushes',
  'lift_lines',
  'held_bounces',
  'incident_counts',
];

/**
 * PostgreSQL estimates the rows of an account as the average of all accounts. If most accounts have a few rows, its plans read
 * all rows of an account to find some addresses, although one account may have a million. With a single distinct account, the
 * estimate is that of the largest account. Citus refuses the option; `suppressions database spread` sets it on the shards.
 */
export class PlanForTheLargestAccount1767225600260 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(change(table, 'SET (n_distinct = 1)'));
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(change(table, 'RESET (n_distinct)'));
    }
  }
}

/** An empty table is not analyzed, because plans that are made for it would then expect it to remain empty. */
const change = (table: string, options: string): string => `
  DO $$
    BEGIN
      IF to_regclass('pg_dist_partition') IS NULL THEN
        ALTER TABLE ${table} ALTER COLUMN account_id ${options};
      END IF;
      IF EXISTS (SELECT FROM ${table}) THEN
        ANALYZE ${table};
      END IF;
    END
  $$`;
