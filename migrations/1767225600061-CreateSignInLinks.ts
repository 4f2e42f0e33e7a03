import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSignInLinks1767225600061 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE sign_in_links (
        token_hash  bytea        NOT NULL,
        account_id  integer      NOT NULL,
        person_id   uuid         NOT NULL,
        invited_by  text         NOT NULL,
        expires_at  timestamptz  NOT NULL,
        CONSTRAINT sign_in_links_pkey             PRIMARY KEY (token_hash),
        CONSTRAINT sign_in_links_token_hash_check CHECK (octet_length(token_hash) = 32),
        CONSTRAINT sign_in_links_person_id_fkey
          FOREIGN KEY (account_id, person_id) REFERENCES people (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE INDEX sign_in_links_account_id_person_id_idx ON sign_in_links (account_id, person_id)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE sign_in_links');
  }
}
