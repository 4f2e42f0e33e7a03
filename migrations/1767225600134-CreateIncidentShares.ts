import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which share of the results of a day bounced with one answer, or in one group of domains. */
export class CreateIncidentShares1767225600134 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE incident_shares (
        account_id  integer           NOT NULL,
        share       real              NOT NULL,
        day         date              NOT NULL,
        key         text COLLATE "C"  NOT NULL,
        CONSTRAINT incident_shares_pkey PRIMARY KEY (account_id, key, day)
      )
    `);
    await queryRunner.query(
      `COMMENT ON COLUMN incident_shares.key IS 'The hash of an answer, or a group of domains'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE incident_shares');
  }
}
