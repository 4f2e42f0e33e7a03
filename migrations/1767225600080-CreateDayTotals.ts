import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many records an account has of each day (UTC) and mask of causes. */
export class CreateDayTotals1767225600080 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE day_totals (
        count       bigint    NOT NULL,
        account_id  integer   NOT NULL,
        day         date      NOT NULL,
        causes      smallint  NOT NULL,
        CONSTRAINT day_totals_pkey PRIMARY KEY (account_id, day, causes)
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE day_totals');
  }
}
