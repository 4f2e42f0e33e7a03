import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Explicit choices only: an address without a row has the default of the topic. */
export class CreateTopicPreferences1767225600011 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE preference_via AS ENUM ('api', 'source', 'import', 'one_click', 'page', 'mail')
    `);
    await queryRunner.query(`
      CREATE TABLE topic_preferences (
        updated_at    timestamptz(3)      NOT NULL DEFAULT clock_timestamp(),
        account_id    integer             NOT NULL,
        subscription  topic_subscription  NOT NULL,
        via           preference_via      NOT NULL,
        topic_id      uuid                NOT NULL,
        contact_id    uuid                NOT NULL,
        email_id      uuid,
        import_id     uuid,
        email         text COLLATE "C"    NOT NULL,
        CONSTRAINT topic_preferences_pkey          PRIMARY KEY (account_id, email, topic_id),
        CONSTRAINT topic_preferences_topic_id_fkey FOREIGN KEY (account_id, topic_id) REFERENCES topics (account_id, id),
        CONSTRAINT topic_preferences_email_check   CHECK (octet_length(email) <= 320 AND email LIKE '_%@_%')
      )
    `);
    await queryRunner.query(
      `COMMENT ON COLUMN topic_preferences.via IS 'How the recipient expressed the choice'`,
    );
    await queryRunner.query(`
      COMMENT ON COLUMN topic_preferences.import_id IS 'The import that made the choice, until somebody repeats it'
    `);
    await queryRunner.query(
      `COMMENT ON COLUMN topic_preferences.contact_id IS 'UUIDv5 of the account and the address'`,
    );
    await queryRunner.query(`
      CREATE INDEX topic_preferences_account_id_contact_id_idx ON topic_preferences (account_id, contact_id)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE topic_preferences');
    await queryRunner.query('DROP TYPE preference_via');
  }
}
