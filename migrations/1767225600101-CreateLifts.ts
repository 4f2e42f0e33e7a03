import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lifts by query: what a lift looks for, the addresses that it found, and their numbers by domain and by diagnostic. */
export class CreateLifts1767225600101 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE lift_status AS ENUM (
        'counting', 'ready', 'applying', 'applied', 'reverting', 'reverted', 'expired'
      )
    `);
    await queryRunner.query(
      `CREATE TYPE lift_line_status AS ENUM ('planned', 'applied', 'skipped', 'reverted')`,
    );
    await queryRunner.query(`
      CREATE TABLE lifts (
        counted_at   timestamptz(3),
        lines_until  timestamptz(3),
        account_id   integer            NOT NULL,
        cause        suppression_cause  NOT NULL,
        status       lift_status        NOT NULL DEFAULT 'counting',
        id           uuid               NOT NULL,
        query        jsonb              NOT NULL,
        created_by   jsonb              NOT NULL,
        largest      jsonb,
        applied_by   jsonb,
        reverted_by  jsonb,
        CONSTRAINT lifts_pkey        PRIMARY KEY (account_id, id),
        CONSTRAINT lifts_cause_check CHECK (cause < 'unsubscribe'),
        CONSTRAINT lifts_id_fkey
          FOREIGN KEY (account_id, id) REFERENCES jobs (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE INDEX lifts_lines_until_idx ON lifts (lines_until) WHERE lines_until IS NOT NULL
    `);
    await queryRunner.query(`
      CREATE TABLE lift_lines (
        revision    bigint            NOT NULL,
        account_id  integer           NOT NULL,
        number      integer           NOT NULL,
        status      lift_line_status  NOT NULL DEFAULT 'planned',
        lift_id     uuid              NOT NULL,
        change_id   uuid              NOT NULL,
        email       text COLLATE "C"  NOT NULL,
        reason      text,
        CONSTRAINT lift_lines_pkey PRIMARY KEY (account_id, lift_id, number),
        CONSTRAINT lift_lines_account_id_email_lift_id_key UNIQUE (account_id, email, lift_id),
        CONSTRAINT lift_lines_lift_id_fkey
          FOREIGN KEY (account_id, lift_id) REFERENCES lifts (account_id, id) ON DELETE CASCADE
      )
    `);
    await queryRunner.query(`
      CREATE TABLE lift_totals (
        account_id  integer           NOT NULL,
        count       integer           NOT NULL,
        lift_id     uuid              NOT NULL,
        grouping    text              NOT NULL,
        key         text COLLATE "C"  NOT NULL,
        CONSTRAINT lift_totals_pkey PRIMARY KEY (account_id, lift_id, grouping, key),
        CONSTRAINT lift_totals_grouping_check CHECK (grouping IN ('domain', 'diagnostic')),
        CONSTRAINT lift_totals_lift_id_fkey
          FOREIGN KEY (account_id, lift_id) REFERENCES lifts (account_id, id) ON DELETE CASCADE
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE lift_totals');
    await queryRunner.query('DROP TABLE lift_lines');
    await queryRunner.query('DROP TABLE lifts');
    await queryRunner.query('DROP TYPE lift_line_status');
    await queryRunner.query('DROP TYPE lift_status');
  }
}
