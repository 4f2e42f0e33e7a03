import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebhooks1767225600040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE webhook_status AS ENUM ('enabled', 'disabled')`);
    await queryRunner.query(`
      CREATE TABLE webhooks (
        created_at       timestamptz(3)  NOT NULL DEFAULT clock_timestamp(),
        disabled_at      timestamptz(3),
        failing_since    timestamptz(3),
        leased_until     timestamptz,
        position         bigint          NOT NULL,
        account_id       integer         NOT NULL,
        version          integer         NOT NULL DEFAULT 0,
        status           webhook_status  NOT NULL DEFAULT 'enabled',
        id               uuid            NOT NULL,
        lease_id         uuid,
        wanted_by        uuid,
        endpoint         text            NOT NULL,
        events           text[]          NOT NULL,
        disabled_reason  text,
        signing_secrets  jsonb           NOT NULL,
        CONSTRAINT webhooks_pkey            PRIMARY KEY (account_id, id),
        CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT webhooks_disabled_check  CHECK (num_nonnulls(disabled_at, disabled_reason) = CASE status WHEN 'disabled' THEN 2 ELSE 0 END)
      )
    `);
    await queryRunner.query(`COMMENT ON COLUMN webhooks.signing_secrets IS 'AES-256-GCM, newest first'`);
    await queryRunner.query(`
      CREATE INDEX webhooks_leased_until_idx ON webhooks (leased_until) WHERE status = 'enabled'
    `);
    await queryRunner.query(`
      CREATE INDEX webhooks_lease_id_idx ON webhooks (lease_id) WHERE lease_id IS NOT NULL
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhooks');
    await queryRunner.query('DROP TYPE webhook_status');
  }
}
