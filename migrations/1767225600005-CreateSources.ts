import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSources1767225600005 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE sources (
        id              uuid         NOT NULL,
        account_id      integer      NOT NULL,
        url_id          text         NOT NULL,
        provider        text         NOT NULL,
        name            text         NOT NULL,
        secrets         jsonb        NOT NULL,
        options         jsonb        NOT NULL,
        created_at      timestamptz  NOT NULL DEFAULT now(),
        paused_at       timestamptz,
        bad_signatures  bigint       NOT NULL DEFAULT 0,
        last_error      text,
        last_error_at   timestamptz,
        CONSTRAINT sources_pkey              PRIMARY KEY (id),
        CONSTRAINT sources_account_id_id_key UNIQUE (account_id, id),
        CONSTRAINT sources_url_id_key        UNIQUE (url_id),
        CONSTRAINT sources_account_id_fkey   FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT sources_url_id_check      CHECK (length(url_id) >= 22),
        CONSTRAINT sources_name_check        CHECK (length(name) BETWEEN 1 AND 100)
      )
    `);
    await queryRunner.query(`COMMENT ON COLUMN sources.url_id IS 'The unguessable part of its URL'`);
    await queryRunner.query(`COMMENT ON COLUMN sources.secrets IS 'AES-256-GCM, by name'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE sources');
  }
}
