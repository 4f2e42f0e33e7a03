import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was counted when a file of recipients was scrubbed. The file itself is never stored. */
export class CreateScrubs1767225600022 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE scrub_status AS ENUM ('running', 'completed', 'failed')`);
    await queryRunner.query(`
      CREATE TABLE scrubs (
        created_at    timestamptz(3)  NOT NULL DEFAULT clock_timestamp(),
        completed_at  timestamptz(3),
        send          bigint          NOT NULL DEFAULT 0,
        suppressed    bigint          NOT NULL DEFAULT 0,
        invalid       bigint          NOT NULL DEFAULT 0,
        account_id    integer         NOT NULL,
        status        scrub_status    NOT NULL DEFAULT 'running',
        id            uuid            NOT NULL,
        problem       text,
        CONSTRAINT scrubs_pkey            PRIMARY KEY (account_id, id),
        CONSTRAINT scrubs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE scrubs');
    await queryRunner.query('DROP TYPE scrub_status');
  }
}
