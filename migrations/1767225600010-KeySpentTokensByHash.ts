import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A token of a provider is good for once wherever its signing key is known, which may be several sources of several accounts.
 * So it is no account's, and stays spent when its source is deleted. Tokens spent before are forgotten: they were kept
 * without the signing key.
 */
export class KeySpentTokensByHash1767225600010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE spent_tokens');
    await queryRunner.query(`
      CREATE TABLE spent_tokens (
        spent_at       timestamptz  NOT NULL DEFAULT now(),
        received_from  uuid         NOT NULL,
        token_hash     bytea        NOT NULL,
        keys_hash      bytea        NOT NULL,
        CONSTRAINT spent_tokens_pkey             PRIMARY KEY (token_hash),
        CONSTRAINT spent_tokens_token_hash_check CHECK (octet_length(token_hash) = 32),
        CONSTRAINT spent_tokens_keys_hash_check  CHECK (octet_length(keys_hash) = 32)
      )
    `);
    await queryRunner.query('CREATE INDEX spent_tokens_spent_at_idx ON spent_tokens (spent_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE spent_tokens');
    await queryRunner.query(`
      CREATE TABLE spent_tokens (
        spent_at       timestamptz       NOT NULL DEFAULT now(),
        account_id     integer           NOT NULL,
        received_from  uuid              NOT NULL,
        token          text COLLATE "C"  NOT NULL,
        keys_hash      bytea             NOT NULL,
        CONSTRAINT spent_tokens_pkey PRIMARY KEY (account_id, received_from, token),
        CONSTRAINT spent_tokens_received_from_fkey
          FOREIGN KEY (account_id, received_from) REFERENCES sources (account_id, id) ON DELETE CASCADE,
        CONSTRAINT spent_tokens_keys_hash_check CHECK (octet_length(keys_hash) = 32)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX spent_tokens_account_id_received_from_spent_at_idx
      ON spent_tokens (account_id, received_from, spent_at)
    `);
  }
}
