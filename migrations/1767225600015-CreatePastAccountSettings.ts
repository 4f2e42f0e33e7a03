import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The history of the settings that verdicts depend on. The settings of now are in `accounts`. */
export class CreatePastAccountSettings1767225600015 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE past_account_settings (
        valid_until      timestamptz      NOT NULL DEFAULT clock_timestamp(),
        account_id       integer          NOT NULL,
        complaint_reach  complaint_reach  NOT NULL,
        CONSTRAINT past_account_settings_pkey PRIMARY KEY (account_id, valid_until)
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE past_account_settings');
  }
}
