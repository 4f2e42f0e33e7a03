import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePeople1767225600060 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE person_role AS ENUM ('viewer', 'editor', 'admin')`);
    await queryRunner.query(`
      CREATE TABLE people (
        created_at    timestamptz(3)    NOT NULL DEFAULT clock_timestamp(),
        first_signed_in_at timestamptz(3),
        account_id    integer           NOT NULL,
        role          person_role       NOT NULL,
        id            uuid              NOT NULL DEFAULT uuid_v7(),
        email         text COLLATE "C"  NOT NULL,
        oidc_issuer   text COLLATE "C",
        oidc_subject  text COLLATE "C",
        CONSTRAINT people_pkey                 PRIMARY KEY (account_id, id),
        CONSTRAINT people_account_id_email_key UNIQUE (account_id, email),
        CONSTRAINT people_oidc_subject_key     UNIQUE (account_id, oidc_issuer, oidc_subject),
        CONSTRAINT people_account_id_fkey      FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT people_email_check          CHECK (octet_length(email) BETWEEN 1 AND 320),
        CONSTRAINT people_oidc_check           CHECK (num_nonnulls(oidc_issuer, oidc_subject) IN (0, 2))
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE people');
    await queryRunner.query('DROP TYPE person_role');
  }
}
