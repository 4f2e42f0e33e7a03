import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ledger is append-only, for everybody. */
export class KeepSuppressionChanges1767225600005 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
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
    await queryRunner.query('DROP TRIGGER suppression_changes_append_only ON suppression_changes');
    await queryRunner.query('DROP FUNCTION refuse_to_change_the_ledger()');
  }
}
