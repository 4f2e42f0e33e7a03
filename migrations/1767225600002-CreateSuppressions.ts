import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSuppressions1767225600002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE suppression_cause AS ENUM ('bounce', 'manual', 'unsubscribe', 'complaint')
    `);
    await queryRunner.query(`COMMENT ON TYPE suppression_cause IS 'From the weakest to the strongest'`);
    await queryRunner.query(`
      CREATE TABLE suppressions (
        created_at  timestamptz(3)     NOT NULL,
        account_id  integer            NOT NULL,
        cause       suppression_cause  NOT NULL,
        id          uuid               NOT NULL,
        email       text COLLATE "C"   NOT NULL,
        source_id   uuid,
        CONSTRAINT suppressions_pkey                 PRIMARY KEY (account_id, id),
        CONSTRAINT suppressions_account_id_email_key UNIQUE (account_id, email),
        CONSTRAINT suppressions_account_id_fkey      FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT suppressions_email_check          CHECK (octet_length(email) <= 320 AND email LIKE '_%@_%'),
        CONSTRAINT suppressions_source_id_check      CHECK (cause <> 'manual' OR source_id IS NULL)
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE suppressions');
    await queryRunner.query('DROP TYPE suppression_cause');
  }
}
