import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApiKeys1767225600001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE api_keys (
        id            uuid         NOT NULL,
        account_id    integer      NOT NULL,
        name          text         NOT NULL,
        prefix        text         NOT NULL,
        secret_hash   bytea        NOT NULL,
        scopes        text[]       NOT NULL,
        created_at    timestamptz  NOT NULL DEFAULT now(),
        expires_at    timestamptz,
        revoked_at    timestamptz,
        last_used_at  timestamptz,
        successor_id  uuid,
        CONSTRAINT api_keys_pkey              PRIMARY KEY (id),
        CONSTRAINT api_keys_secret_hash_key   UNIQUE (secret_hash),
        CONSTRAINT api_keys_account_id_fkey   FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT api_keys_successor_id_fkey FOREIGN KEY (successor_id) REFERENCES api_keys (id),
        CONSTRAINT api_keys_name_check        CHECK (length(name) BETWEEN 1 AND 100),
        CONSTRAINT api_keys_secret_hash_check CHECK (octet_length(secret_hash) = 32),
        CONSTRAINT api_keys_scopes_check      CHECK (cardinality(scopes) > 0)
      )
    `);
    await queryRunner.query('CREATE INDEX api_keys_account_id_idx ON api_keys (account_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE api_keys');
  }
}
