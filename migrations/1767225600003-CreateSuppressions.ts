import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The filter indexes end in the id, so that a page costs the same wherever it lies in the list. */
export class CreateSuppressions1767225600003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE suppression_cause AS ENUM ('bounce', 'manual', 'unsubscribe', 'complaint')
    `);
    await queryRunner.query(`
      COMMENT ON TYPE suppression_cause IS 'From the weakest to the strongest'
    `);
    await queryRunner.query(`
      CREATE TABLE suppressions (
        created_at  timestamptz(3)     NOT NULL,
        account_id  integer            NOT NULL,
        cause       suppression_cause  NOT NULL,
        id          uuid               NOT NULL,
        email       text COLLATE "C"   NOT NULL,
        email_id    uuid,
        CONSTRAINT suppressions_pkey                 PRIMARY KEY (account_id, id),
        CONSTRAINT suppressions_account_id_email_key UNIQUE (account_id, email),
        CONSTRAINT suppressions_account_id_fkey      FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT suppressions_email_check          CHECK (octet_length(email) <= 320 AND email LIKE '_%@_%'),
        CONSTRAINT suppressions_email_id_check       CHECK (cause <> 'manual' OR email_id IS NULL)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_origin_id_idx
      ON suppressions (account_id, (CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END), id)
    `);
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_domain_origin_id_idx
      ON suppressions (
        account_id,
        (split_part(email, '@', -1)),
        (CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END),
        id
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE suppressions');
    await queryRunner.query('DROP TYPE suppression_cause');
  }
}
