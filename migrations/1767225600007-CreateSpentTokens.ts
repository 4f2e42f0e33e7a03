import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Single-use tokens, with a hash of the keys of their events. They belong to no account: sources of several accounts may
 * know the same Mailgun signing key, and a token is valid once across all of them.
 */
export class CreateSpentTokens1767225600007 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE spent_tokens (
        spent_at    timestamptz  NOT NULL DEFAULT now(),
        source_id   uuid         NOT NULL,
        token_hash  bytea        NOT NULL,
        keys_hash   bytea        NOT NULL,
        CONSTRAINT spent_tokens_pkey             PRIMARY KEY (token_hash),
        CONSTRAINT spent_tokens_token_hash_check CHECK (octet_length(token_hash) = 32),
        CONSTRAINT spent_tokens_keys_hash_check  CHECK (octet_length(keys_hash) = 32)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX spent_tokens_spent_at_idx ON spent_tokens (spent_at)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE spent_tokens');
  }
}
