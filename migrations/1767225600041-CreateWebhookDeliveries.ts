import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebhookDeliveries1767225600041 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE webhook_delivery_status AS ENUM ('pending', 'success', 'failed')`);
    await queryRunner.query(`
      CREATE TABLE webhook_deliveries (
        created_at       timestamptz(3)           NOT NULL,
        recorded_at      timestamptz              NOT NULL DEFAULT now(),
        next_attempt_at  timestamptz(3),
        position         bigint,
        account_id       integer                  NOT NULL,
        tries            integer                  NOT NULL DEFAULT 0,
        status           webhook_delivery_status  NOT NULL,
        webhook_id       uuid                     NOT NULL,
        id               uuid                     NOT NULL,
        type             text                     NOT NULL,
        body             text                     NOT NULL,
        attempts         jsonb                    NOT NULL DEFAULT '[]',
        CONSTRAINT webhook_deliveries_pkey            PRIMARY KEY (account_id, webhook_id, id),
        CONSTRAINT webhook_deliveries_webhook_id_fkey
          FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks (account_id, id) ON DELETE CASCADE,
        CONSTRAINT webhook_deliveries_pending_check   CHECK ((next_attempt_at IS NULL) = (status <> 'pending'))
      )
    `);
    await queryRunner.query(`
      CREATE INDEX webhook_deliveries_pending_idx
      ON webhook_deliveries (account_id, webhook_id, next_attempt_at)
      WHERE status = 'pending'
    `);
    await queryRunner.query(`
      CREATE INDEX webhook_deliveries_failed_idx
      ON webhook_deliveries (account_id, webhook_id, id)
      WHERE status = 'failed'
    `);
    await queryRunner.query(`
      CREATE INDEX webhook_deliveries_recorded_at_idx
      ON webhook_deliveries (recorded_at)
      WHERE status <> 'pending'
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhook_deliveries');
    await queryRunner.query('DROP TYPE webhook_delivery_status');
  }
}
