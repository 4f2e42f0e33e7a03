import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Background work, and the files that it reads. */
export class CreateJobs1767225600020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE job_kind AS ENUM ('import', 'revert')`);
    await queryRunner.query(`
      CREATE TYPE job_status AS ENUM (
        'uploading', 'queued', 'running', 'completed', 'failed', 'cancelled', 'reverted'
      )
    `);
    await queryRunner.query(`
      CREATE TABLE jobs (
        created_at    timestamptz(3)  NOT NULL DEFAULT clock_timestamp(),
        started_at    timestamptz(3),
        completed_at  timestamptz(3),
        leased_until  timestamptz,
        account_id    integer         NOT NULL,
        attempts      integer         NOT NULL DEFAULT 0,
        failures      integer         NOT NULL DEFAULT 0,
        losses        integer         NOT NULL DEFAULT 0,
        kind          job_kind        NOT NULL,
        status        job_status      NOT NULL,
        id            uuid            NOT NULL,
        lease_id      uuid,
        checkpoint    jsonb           NOT NULL,
        error         jsonb,
        CONSTRAINT jobs_pkey            PRIMARY KEY (account_id, id),
        CONSTRAINT jobs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX jobs_pending_idx ON jobs (id) WHERE status IN ('queued', 'running')
    `);
    await queryRunner.query(`
      CREATE INDEX jobs_uploading_idx ON jobs (leased_until) WHERE status = 'uploading'
    `);
    await queryRunner.query(`
      CREATE INDEX jobs_completed_at_idx ON jobs (completed_at)
    `);
    await queryRunner.query(`
      CREATE TABLE job_pieces (
        account_id  integer  NOT NULL,
        number      integer  NOT NULL,
        job_id      uuid     NOT NULL,
        data        bytea    NOT NULL,
        CONSTRAINT job_pieces_pkey PRIMARY KEY (account_id, job_id, number),
        CONSTRAINT job_pieces_job_id_fkey
          FOREIGN KEY (account_id, job_id) REFERENCES jobs (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE INDEX job_pieces_first_idx ON job_pieces (account_id, job_id) WHERE number = 0
    `);
    await queryRunner.query(`ALTER TABLE job_pieces ALTER COLUMN data SET STORAGE EXTERNAL`);
    await queryRunner.query(`COMMENT ON COLUMN job_pieces.data IS 'UTF-8, compressed by gzip'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE job_pieces');
    await queryRunner.query('DROP TABLE jobs');
    await queryRunner.query('DROP TYPE job_status');
    await queryRunner.query('DROP TYPE job_kind');
  }
}
