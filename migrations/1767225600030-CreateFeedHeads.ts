import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A pass over the pending changes locks the head of its account and moves it. */
export class CreateFeedHeads1767225600030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE feed_heads (
        last_position  bigint   NOT NULL DEFAULT 0,
        account_id     integer  NOT NULL,
        CONSTRAINT feed_heads_pkey            PRIMARY KEY (account_id),
        CONSTRAINT feed_heads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      ) WITH (fillfactor = 50)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE feed_heads');
  }
}
