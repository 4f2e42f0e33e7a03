import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Waves of bounces that look like the fault of a receiving provider. */
export class CreateIncidents1767225600131 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE incident_decision AS ENUM ('lift', 'keep')`);
    await queryRunner.query(`
      CREATE TABLE incidents (
        opened_at         timestamptz(3)    NOT NULL,
        active_at         timestamptz(3)    NOT NULL,
        closed_at         timestamptz(3),
        decided_at        timestamptz(3),
        settled_at        timestamptz(3),
        account_id        integer           NOT NULL,
        id                uuid              NOT NULL,
        text_hash         uuid,
        held_through      uuid              NOT NULL,
        addresses         integer           NOT NULL DEFAULT 0,
        held              integer           NOT NULL DEFAULT 0,
        delivered_before  integer           NOT NULL DEFAULT 0,
        is_convincing     boolean           NOT NULL,
        decision          incident_decision,
        actor_type        actor_type,
        actor_id          uuid,
        actor_name        text,
        receiving_group   text COLLATE "C",
        diagnostic        text,
        CONSTRAINT incidents_pkey            PRIMARY KEY (account_id, id),
        CONSTRAINT incidents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT incidents_key_check       CHECK (num_nonnulls(text_hash, receiving_group) = 1),
        CONSTRAINT incidents_decision_check  CHECK (num_nulls(decision, decided_at, actor_type, actor_name) IN (0, 4))
      )
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX incidents_running_key
      ON incidents (account_id, coalesce(text_hash::text, receiving_group))
      WHERE closed_at IS NULL
    `);
    await queryRunner.query(`
      CREATE INDEX incidents_unfinished_idx
      ON incidents (account_id)
      WHERE closed_at IS NULL OR decision IS NOT NULL AND settled_at IS NULL
    `);
    await queryRunner.query(
      `COMMENT ON COLUMN incidents.text_hash IS 'MD5 of the diagnostic; null if the incident is about a group'`,
    );
    await queryRunner.query(
      `COMMENT ON COLUMN incidents.active_at IS 'The end of the last 15 minutes with many bounces'`,
    );
    await queryRunner.query(
      `COMMENT ON COLUMN incidents.held_through IS 'The last delivery event whose bounce was held'`,
    );
    await queryRunner.query(
      `COMMENT ON COLUMN incidents.settled_at IS 'When the decision was applied to all held bounces'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE incidents');
    await queryRunner.query('DROP TYPE incident_decision');
  }
}
