import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many records were added and removed on each day (UTC), by cause. */
export class CreateChangeTotals1767225600086 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE change_totals (
        count       bigint             NOT NULL,
        account_id  integer            NOT NULL,
        day         date               NOT NULL,
        cause       suppression_cause  NOT NULL,
        is_removal  boolean            NOT NULL,
        CONSTRAINT change_totals_pkey PRIMARY KEY (account_id, day, cause, is_removal)
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE change_totals');
  }
}
