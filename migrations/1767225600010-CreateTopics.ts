import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An archived topic keeps its opt-outs and its key, so that no other topic takes the key without the opt-outs. */
export class CreateTopics1767225600010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE topic_subscription AS ENUM ('opt_in', 'opt_out')`);
    await queryRunner.query(`CREATE TYPE topic_visibility AS ENUM ('public', 'private')`);
    await queryRunner.query(`
      CREATE TABLE topics (
        created_at            timestamptz(3)      NOT NULL DEFAULT clock_timestamp(),
        archived_at           timestamptz(3),
        account_id            integer             NOT NULL,
        default_subscription  topic_subscription  NOT NULL,
        visibility            topic_visibility    NOT NULL,
        id                    uuid                NOT NULL DEFAULT uuid_v7(),
        key                   text COLLATE "C"    NOT NULL,
        name                  text                NOT NULL,
        description           text,
        CONSTRAINT topics_pkey              PRIMARY KEY (account_id, id),
        CONSTRAINT topics_account_id_fkey   FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT topics_key_check         CHECK (key ~ '^[a-z0-9.-]{1,64}$'),
        CONSTRAINT topics_name_check        CHECK (char_length(name) BETWEEN 1 AND 50),
        CONSTRAINT topics_description_check CHECK (char_length(description) <= 200)
      )
    `);
    await queryRunner.query('CREATE UNIQUE INDEX topics_account_id_key_idx ON topics (account_id, key)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE topics');
    await queryRunner.query('DROP TYPE topic_visibility');
    await queryRunner.query('DROP TYPE topic_subscription');
  }
}
