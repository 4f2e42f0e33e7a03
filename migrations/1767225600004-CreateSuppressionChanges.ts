import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ledger. A trigger keeps it append-only for every database user. */
export class CreateSuppressionChanges1767225600004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE suppression_action AS ENUM (
        'added', 'strengthened', 'cause_added', 'cause_removed', 'removed', 'expired', 'opted_in', 'opted_out'
      )
    `);
    await queryRunner.query(`
      CREATE TYPE actor_type AS ENUM ('api_key', 'source', 'cli', 'import', 'person', 'recipient', 'system')
    `);
    await queryRunner.query(`
      CREATE TABLE suppression_changes (
        created_at      timestamptz(3)      NOT NULL DEFAULT clock_timestamp(),
        occurred_at     timestamptz(3),
        expires_at      timestamptz(3),
        revision        bigserial           NOT NULL,
        account_id      integer             NOT NULL,
        action          suppression_action  NOT NULL,
        cause           suppression_cause,
        actor_type      actor_type          NOT NULL,
        id              uuid                NOT NULL DEFAULT uuid_v7(),
        suppression_id  uuid,
        topic_id        uuid,
        email           text COLLATE "C"    NOT NULL,
        email_id        uuid,
        event_id        uuid,
        actor_id        uuid,
        actor_name      text                NOT NULL,
        note            text,
        evidence        jsonb,
        CONSTRAINT suppression_changes_pkey           PRIMARY KEY (account_id, id),
        CONSTRAINT suppression_changes_note_check     CHECK (char_length(note) <= 1000),
        CONSTRAINT suppression_changes_topic_id_check CHECK (num_nonnulls(suppression_id, cause) = CASE WHEN topic_id IS NULL THEN 2 ELSE 0 END)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX suppression_changes_account_id_email_revision_idx
      ON suppression_changes (account_id, email, revision)
    `);
    await queryRunner.query(`
      CREATE INDEX suppression_changes_account_id_suppression_id_idx
      ON suppression_changes (account_id, suppression_id)
      WHERE action = 'added'
    `);
    await queryRunner.query(`
      CREATE INDEX suppression_changes_withdrawals_idx
      ON suppression_changes (account_id, email)
      WHERE action IN ('removed', 'cause_removed', 'opted_in')
    `);
    await queryRunner.query(`
      CREATE INDEX suppression_changes_note_idx
      ON suppression_changes (account_id, suppression_id, revision)
      WHERE note IS NOT NULL
    `);
    await queryRunner.query(`
      CREATE FUNCTION refuse_to_change_the_ledger() RETURNS trigger
      LANGUAGE plpgsql
      AS $$
        BEGIN
          RAISE EXCEPTION 'suppression_changes is append-only: % is refused', TG_OP
            USING ERRCODE = 'restrict_violation';
        END
      $$
    `);
    await queryRunner.query(`
      CREATE TRIGGER suppression_changes_append_only
      BEFORE UPDATE OR DELETE OR TRUNCATE ON suppression_changes
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_the_ledger()
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE suppression_changes');
    await queryRunner.query('DROP FUNCTION refuse_to_change_the_ledger()');
    await queryRunner.query('DROP TYPE actor_type');
    await queryRunner.query('DROP TYPE suppression_action');
  }
}
