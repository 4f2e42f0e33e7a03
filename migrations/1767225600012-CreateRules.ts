import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The unique constraint also finds the rules of an address, by the few patterns that match it. */
export class CreateRules1767225600012 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE rule_effect AS ENUM ('allow', 'block')`);
    await queryRunner.query(`
      CREATE TABLE rules (
        created_at  timestamptz(3)    NOT NULL DEFAULT clock_timestamp(),
        expires_at  timestamptz(3),
        account_id  integer           NOT NULL,
        effect      rule_effect       NOT NULL,
        id          uuid              NOT NULL DEFAULT uuid_v7(),
        topic_id    uuid,
        pattern     text COLLATE "C"  NOT NULL,
        note        text,
        CONSTRAINT rules_pkey                            PRIMARY KEY (account_id, id),
        CONSTRAINT rules_account_id_pattern_topic_id_key UNIQUE (account_id, pattern, topic_id),
        CONSTRAINT rules_account_id_fkey                 FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT rules_topic_id_fkey                   FOREIGN KEY (account_id, topic_id) REFERENCES topics (account_id, id),
        CONSTRAINT rules_pattern_check                   CHECK (octet_length(pattern) BETWEEN 1 AND 320),
        CONSTRAINT rules_note_check                      CHECK (char_length(note) <= 1000)
      )
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX rules_account_id_pattern_idx ON rules (account_id, pattern) WHERE topic_id IS NULL
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE rules');
    await queryRunner.query('DROP TYPE rule_effect');
  }
}
