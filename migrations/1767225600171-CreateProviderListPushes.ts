import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What must reach a provider, and what reached it: the outbox, and the entries that are there because of it. */
export class CreateProviderListPushes1767225600171 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE provider_list_pushes (
        created_at        timestamptz(3)     NOT NULL DEFAULT clock_timestamp(),
        next_attempt_at   timestamptz(3)     NOT NULL DEFAULT clock_timestamp(),
        attempted_at      timestamptz(3),
        put_at            timestamptz(3),
        since             timestamptz(3)     NOT NULL,
        account_id        integer            NOT NULL,
        attempts          integer            NOT NULL DEFAULT 0,
        cause             suppression_cause  NOT NULL,
        provider_list_id  uuid               NOT NULL,
        plan_id           uuid,
        email             text COLLATE "C"   NOT NULL,
        list              text COLLATE "C"   NOT NULL,
        address           text COLLATE "C"   NOT NULL,
        action            text COLLATE "C"   NOT NULL,
        status            text COLLATE "C"   NOT NULL DEFAULT 'pending',
        error             text,
        consent           jsonb,
        CONSTRAINT provider_list_pushes_pkey PRIMARY KEY (account_id, provider_list_id, email, list, address),
        CONSTRAINT provider_list_pushes_action_check CHECK (action IN ('add', 'remove')),
        CONSTRAINT provider_list_pushes_status_check CHECK (status IN ('pending', 'done', 'failed')),
        CONSTRAINT provider_list_pushes_provider_list_id_fkey
          FOREIGN KEY (account_id, provider_list_id) REFERENCES provider_lists (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE INDEX provider_list_pushes_due_idx ON provider_list_pushes (account_id, provider_list_id, next_attempt_at)
      WHERE status = 'pending'
    `);
    await queryRunner.query(`
      CREATE INDEX provider_list_pushes_open_idx ON provider_list_pushes (account_id, provider_list_id, email, list, address)
      WHERE status <> 'done'
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE provider_list_pushes');
  }
}
