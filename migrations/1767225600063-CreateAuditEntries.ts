import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log. A trigger keeps it append-only for every database user. */
export class CreateAuditEntries1767225600063 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE audit_entries (
        created_at    timestamptz(3)  NOT NULL DEFAULT clock_timestamp(),
        account_id    integer         NOT NULL,
        actor_type    actor_type      NOT NULL,
        id            uuid            NOT NULL DEFAULT uuid_v7(),
        actor_id      uuid,
        actor_name    text            NOT NULL,
        action        text            NOT NULL,
        subject_id    text,
        subject_name  text            NOT NULL,
        changes       jsonb           NOT NULL DEFAULT '{}',
        CONSTRAINT audit_entries_pkey         PRIMARY KEY (account_id, id),
        CONSTRAINT audit_entries_action_check CHECK (action ~ '^[a-z_]+[.][a-z_]+$')
      )
    `);
    await queryRunner.query(`
      CREATE FUNCTION refuse_to_change_the_audit_log() RETURNS trigger
      LANGUAGE plpgsql
      AS $$
        BEGIN
          RAISE EXCEPTION 'audit_entries is append-only: % is refused', TG_OP
            USING ERRCODE = 'restrict_violation';
        END
      $$
    `);
    await queryRunner.query(`
      CREATE TRIGGER audit_entries_append_only
      BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_the_audit_log()
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE audit_entries');
    await queryRunner.query('DROP FUNCTION refuse_to_change_the_audit_log()');
  }
}
