import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The history of the rules: each line has the rule as it was after the change, or before it was deleted. */
export class CreateRuleChanges1767225600013 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE rule_action AS ENUM ('created', 'replaced', 'deleted')`);
    await queryRunner.query(`
      CREATE TABLE rule_changes (
        created_at  timestamptz(3)    NOT NULL DEFAULT clock_timestamp(),
        expires_at  timestamptz(3),
        account_id  integer           NOT NULL,
        action      rule_action       NOT NULL,
        effect      rule_effect       NOT NULL,
        actor_type  actor_type        NOT NULL,
        id          uuid              NOT NULL DEFAULT uuid_v7(),
        rule_id     uuid              NOT NULL,
        topic_id    uuid,
        actor_id    uuid,
        pattern     text COLLATE "C"  NOT NULL,
        actor_name  text              NOT NULL,
        note        text,
        CONSTRAINT rule_changes_pkey PRIMARY KEY (account_id, id)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX rule_changes_account_id_rule_id_id_idx ON rule_changes (account_id, rule_id, id)
    `);
    await queryRunner.query(`
      CREATE INDEX rule_changes_account_id_pattern_id_idx ON rule_changes (account_id, pattern, id)
      WHERE topic_id IS NULL
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE rule_changes');
    await queryRunner.query('DROP TYPE rule_action');
  }
}
