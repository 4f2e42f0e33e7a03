import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSourceTopics1767225600014 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TYPE topic_unit_kind AS ENUM ('group', 'stream', 'tag', 'list', 'topic')`,
    );
    await queryRunner.query(`
      CREATE TABLE source_topics (
        created_at  timestamptz(3)   NOT NULL DEFAULT clock_timestamp(),
        account_id  integer          NOT NULL,
        unit_kind   topic_unit_kind  NOT NULL,
        is_mapped   boolean          NOT NULL,
        source_id   uuid             NOT NULL,
        topic_id    uuid             NOT NULL,
        moving_from uuid,
        unit_name   text COLLATE "C" NOT NULL,
        moved_up_to text COLLATE "C" NOT NULL DEFAULT '',
        CONSTRAINT source_topics_pkey            PRIMARY KEY (account_id, source_id, unit_kind, unit_name),
        CONSTRAINT source_topics_source_id_fkey
          FOREIGN KEY (account_id, source_id) REFERENCES sources (account_id, id) ON DELETE CASCADE,
        CONSTRAINT source_topics_topic_id_fkey
          FOREIGN KEY (account_id, topic_id) REFERENCES topics (account_id, id),
        CONSTRAINT source_topics_moving_from_fkey
          FOREIGN KEY (account_id, moving_from) REFERENCES topics (account_id, id),
        CONSTRAINT source_topics_unit_name_check CHECK (length(unit_name) BETWEEN 1 AND 200)
      )
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN source_topics.is_mapped IS 'False if the service made the topic for a unit that nobody had mapped'
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN source_topics.moving_from IS 'A topic whose opt-outs are being moved to this one'
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN source_topics.moved_up_to IS 'The last address whose opt-out was moved'
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE source_topics');
    await queryRunner.query('DROP TYPE topic_unit_kind');
  }
}
