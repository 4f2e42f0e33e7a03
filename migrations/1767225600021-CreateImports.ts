import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateImports1767225600021 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE imports (
        bytes            bigint,
        account_id       integer            NOT NULL,
        default_cause    suppression_cause  NOT NULL,
        dry_run          boolean            NOT NULL,
        id               uuid               NOT NULL,
        topic_id         uuid,
        name             text,
        filename         text,
        file_hash        text,
        idempotency_key  text,
        plan             jsonb              NOT NULL,
        created_by       jsonb              NOT NULL,
        CONSTRAINT imports_pkey PRIMARY KEY (account_id, id),
        CONSTRAINT imports_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key),
        CONSTRAINT imports_topic_id_fkey FOREIGN KEY (account_id, topic_id) REFERENCES topics (account_id, id),
        CONSTRAINT imports_id_fkey
          FOREIGN KEY (account_id, id) REFERENCES jobs (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE TABLE import_errors (
        row         bigint   NOT NULL,
        line        bigint   NOT NULL,
        account_id  integer  NOT NULL,
        import_id   uuid     NOT NULL,
        code        text     NOT NULL,
        value       text     NOT NULL,
        CONSTRAINT import_errors_pkey PRIMARY KEY (account_id, import_id, row),
        CONSTRAINT import_errors_import_id_fkey
          FOREIGN KEY (account_id, import_id) REFERENCES imports (account_id, id) ON DELETE CASCADE
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE import_errors');
    await queryRunner.query('DROP TABLE imports');
  }
}
