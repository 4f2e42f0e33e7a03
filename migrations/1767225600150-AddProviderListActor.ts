import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ledger names the provider list that a change was pulled from. */
export class AddProviderListActor1767225600150 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TYPE actor_type ADD VALUE 'provider_list'`);
  }

  /** A function in SQL depends on the type of the column, so it is created again. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION withdrawing_source(suppression_changes)');
    await queryRunner.query('ALTER TYPE actor_type RENAME TO actor_type_with_provider_lists');
    await queryRunner.query(
      `CREATE TYPE actor_type AS ENUM ('api_key', 'source', 'cli', 'import', 'person', 'recipient', 'system')`,
    );
    for (const table of ['suppression_changes', 'rule_changes', 'audit_entries', 'incidents']) {
      await queryRunner.query(`
        ALTER TABLE ${table} ALTER COLUMN actor_type TYPE actor_type
        USING (CASE actor_type::text WHEN 'provider_list' THEN 'system' ELSE actor_type::text END)::actor_type
      `);
    }
    await queryRunner.query('DROP TYPE actor_type_with_provider_lists');
    await queryRunner.query(`
      CREATE FUNCTION withdrawing_source(line suppression_changes) RETURNS uuid
      LANGUAGE sql IMMUTABLE
      RETURN CASE
        WHEN line.actor_type <> 'source' THEN '00000000-0000-0000-0000-000000000000'::uuid
        WHEN line.cause >= 'unsubscribe' OR line.actor_id IS NULL THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
        ELSE line.actor_id
      END
    `);
  }
}
