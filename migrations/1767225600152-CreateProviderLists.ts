import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The lists that providers keep, the plans that compare them with ours, what a provider had then, and the differences. */
export class CreateProviderLists1767225600152 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE provider_list_plan_status AS ENUM (
        'comparing', 'ready', 'applying', 'applied', 'stopped', 'failed', 'expired'
      )
    `);
    await queryRunner.query(`
      CREATE TABLE provider_lists (
        created_at       timestamptz(3)  NOT NULL DEFAULT clock_timestamp(),
        next_run_at      timestamptz(3)  NOT NULL,
        last_success_at  timestamptz(3),
        stopped_at       timestamptz(3),
        deleted_at       timestamptz(3),
        account_id       integer         NOT NULL,
        interval_hours   integer         NOT NULL,
        pull             boolean         NOT NULL,
        shared           boolean         NOT NULL,
        id               uuid            NOT NULL,
        base_plan_id     uuid,
        provider         text            NOT NULL,
        name             text            NOT NULL,
        scope            jsonb           NOT NULL,
        scope_key        text            NOT NULL,
        credentials      jsonb           NOT NULL,
        last_error       text,
        CONSTRAINT provider_lists_pkey PRIMARY KEY (account_id, id),
        CONSTRAINT provider_lists_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )
    `);
    await queryRunner.query(`COMMENT ON COLUMN provider_lists.credentials IS 'AES-256-GCM, by name'`);
    await queryRunner.query(`
      CREATE INDEX provider_lists_scope_key_idx ON provider_lists (scope_key) WHERE deleted_at IS NULL
    `);
    await queryRunner.query(`
      CREATE INDEX provider_lists_next_run_at_idx ON provider_lists (next_run_at)
      WHERE deleted_at IS NULL AND stopped_at IS NULL
    `);
    await queryRunner.query(`
      CREATE TABLE provider_list_plans (
        created_at        timestamptz(3)             NOT NULL DEFAULT clock_timestamp(),
        ready_at          timestamptz(3),
        deleted_at        timestamptz(3),
        account_id        integer                    NOT NULL,
        entries           integer                    NOT NULL DEFAULT 0,
        applied           integer                    NOT NULL DEFAULT 0,
        skipped           integer                    NOT NULL DEFAULT 0,
        status            provider_list_plan_status  NOT NULL DEFAULT 'comparing',
        is_scheduled      boolean                    NOT NULL,
        has_rows          boolean                    NOT NULL DEFAULT true,
        id                uuid                       NOT NULL,
        provider_list_id  uuid                       NOT NULL,
        job_id            uuid                       NOT NULL,
        counts            jsonb                      NOT NULL DEFAULT '{}',
        reason            text,
        CONSTRAINT provider_list_plans_pkey PRIMARY KEY (account_id, id),
        CONSTRAINT provider_list_plans_account_id_job_id_key UNIQUE (account_id, job_id),
        CONSTRAINT provider_list_plans_provider_list_id_fkey
          FOREIGN KEY (account_id, provider_list_id) REFERENCES provider_lists (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE INDEX provider_list_plans_list_id_idx ON provider_list_plans (account_id, provider_list_id, id)
    `);
    await queryRunner.query(`
      CREATE INDEX provider_list_plans_has_rows_idx ON provider_list_plans (created_at) WHERE has_rows
    `);
    await queryRunner.query(`
      CREATE TABLE provider_list_entries (
        listed_at   timestamptz(3),
        latest_at   timestamptz(3),
        account_id  integer          NOT NULL,
        cause       suppression_cause,
        is_gone     boolean          NOT NULL DEFAULT false,
        plan_id     uuid             NOT NULL,
        email       text COLLATE "C" NOT NULL,
        list        text COLLATE "C" NOT NULL,
        address     text COLLATE "C" NOT NULL,
        note        text,
        problem     text,
        CONSTRAINT provider_list_entries_pkey PRIMARY KEY (account_id, plan_id, email, list, address),
        CONSTRAINT provider_list_entries_plan_id_fkey
          FOREIGN KEY (account_id, plan_id) REFERENCES provider_list_plans (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE TABLE provider_list_lines (
        listed_at   timestamptz(3),
        revision    bigint                   NOT NULL,
        account_id  integer                  NOT NULL,
        cause       suppression_cause,
        adds        boolean                  NOT NULL,
        plan_id     uuid                     NOT NULL,
        kind        text COLLATE "C"         NOT NULL,
        email       text COLLATE "C"         NOT NULL,
        list        text COLLATE "C"         NOT NULL,
        address     text COLLATE "C"         NOT NULL,
        reason      text,
        CONSTRAINT provider_list_lines_pkey PRIMARY KEY (account_id, plan_id, kind, email, list, address),
        CONSTRAINT provider_list_lines_kind_check
          CHECK (kind IN ('pull', 'push', 'remove', 'drift', 'cannot', 'agreed')),
        CONSTRAINT provider_list_lines_plan_id_fkey
          FOREIGN KEY (account_id, plan_id) REFERENCES provider_list_plans (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE INDEX provider_list_lines_adds_idx ON provider_list_lines (account_id, plan_id, email) WHERE adds
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE provider_list_lines');
    await queryRunner.query('DROP TABLE provider_list_entries');
    await queryRunner.query('DROP TABLE provider_list_plans');
    await queryRunner.query('DROP TABLE provider_lists');
    await queryRunner.query('DROP TYPE provider_list_plan_status');
  }
}
