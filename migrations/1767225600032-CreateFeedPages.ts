import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The changes in the order of the feed. The position of a change is that of the first one of its page, and on. */
export class CreateFeedPages1767225600032 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE feed_pages (
        first_position  bigint   NOT NULL,
        account_id      integer  NOT NULL,
        change_ids      uuid[]   NOT NULL,
        CONSTRAINT feed_pages_pkey PRIMARY KEY (account_id, first_position)
      )
    `);
    await queryRunner.query('ALTER TABLE feed_pages ALTER COLUMN change_ids SET STORAGE EXTERNAL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE feed_pages');
  }
}
