import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateConsoleSessions1767225600062 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE console_sessions (
        token_hash    bytea        NOT NULL,
        account_id    integer      NOT NULL,
        person_id     uuid         NOT NULL,
        signed_in_at  timestamptz  NOT NULL DEFAULT now(),
        last_seen_at  timestamptz  NOT NULL DEFAULT now(),
        CONSTRAINT console_sessions_pkey             PRIMARY KEY (token_hash),
        CONSTRAINT console_sessions_token_hash_check CHECK (octet_length(token_hash) = 32),
        CONSTRAINT console_sessions_person_id_fkey
          FOREIGN KEY (account_id, person_id) REFERENCES people (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE INDEX console_sessions_account_id_person_id_idx ON console_sessions (account_id, person_id)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE console_sessions');
  }
}
