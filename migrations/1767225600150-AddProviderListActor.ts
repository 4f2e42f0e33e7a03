import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ledger names the provider list that a change was pulled from. */
export class AddProviderListActor1767225600150 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TYPE actor_type ADD VALUE 'provider_list'`);
  }

  /** Functions depend on the type of the column, or of the row, so they are created again. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DO $$
        DECLARE
          of_source CONSTANT text := pg_get_functiondef('withdrawing_source(suppression_changes)'::regprocedure);
          of_subjects CONSTANT text := pg_get_functiondef('subjects_withdrawn(suppression_changes)'::regprocedure);
          changed text;
        BEGIN
          DROP FUNCTION withdrawing_source(suppression_changes);
          DROP FUNCTION subjects_withdrawn(suppression_changes);
          ALTER TYPE actor_type RENAME TO actor_type_with_provider_lists;
          CREATE TYPE actor_type AS ENUM ('api_key', 'source', 'cli', 'import', 'person', 'recipient', 'system');
          FOREACH changed IN ARRAY ARRAY['suppression_changes', 'rule_changes', 'audit_entries', 'incidents'] LOOP
            EXECUTE format(
              'ALTER TABLE %I ALTER COLUMN actor_type TYPE actor_type
              USING (CASE actor_type::text WHEN ''provider_list'' THEN ''system'' ELSE actor_type::text END)::actor_type',
              changed
            );
          END LOOP;
          DROP TYPE actor_type_with_provider_lists;
          EXECUTE of_source;
          EXECUTE of_subjects;
        END
      $$
    `);
  }
}
