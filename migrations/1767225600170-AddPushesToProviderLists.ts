import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which changes reach a provider, up to which position of the feed, and who sends them. The defaults are for the previous version. */
export class AddPushesToProviderLists1767225600170 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE provider_lists
        ADD COLUMN push_additions boolean NOT NULL DEFAULT false,
        ADD COLUMN push_removals boolean NOT NULL DEFAULT false,
        ADD COLUMN push_unsubscribes boolean NOT NULL DEFAULT false,
        ADD COLUMN push_position bigint,
        ADD COLUMN push_lease_id uuid,
        ADD COLUMN push_leased_until timestamptz(3),
        ADD COLUMN push_paused_until timestamptz(3),
        ADD COLUMN push_failures integer NOT NULL DEFAULT 0,
        ADD COLUMN pushing_plan_id uuid,
        ADD COLUMN removals_since timestamptz(3),
        ADD COLUMN removals integer NOT NULL DEFAULT 0
    `);
    await queryRunner.query(`
      ALTER TABLE provider_list_plans
        ADD COLUMN capped integer NOT NULL DEFAULT 0,
        ADD COLUMN push_seconds integer NOT NULL DEFAULT 0
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE provider_list_plans DROP COLUMN push_seconds, DROP COLUMN capped');
    await queryRunner.query(`
      ALTER TABLE provider_lists
        DROP COLUMN removals,
        DROP COLUMN removals_since,
        DROP COLUMN pushing_plan_id,
        DROP COLUMN push_failures,
        DROP COLUMN push_paused_until,
        DROP COLUMN push_leased_until,
        DROP COLUMN push_lease_id,
        DROP COLUMN push_position,
        DROP COLUMN push_unsubscribes,
        DROP COLUMN push_removals,
        DROP COLUMN push_additions
    `);
  }
}
