import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only revocation deletes a key: links in old mail must keep working. The newest one of an account makes new links. */
export class CreateUnsubscribeKeys1767225600050 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE unsubscribe_keys (
        created_at  timestamptz(3)  NOT NULL DEFAULT clock_timestamp(),
        account_id  integer         NOT NULL,
        id          integer         NOT NULL,
        secret      text            NOT NULL,
        CONSTRAINT unsubscribe_keys_pkey            PRIMARY KEY (id),
        CONSTRAINT unsubscribe_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT unsubscribe_keys_id_check        CHECK (id > 0)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX unsubscribe_keys_account_id_created_at_idx ON unsubscribe_keys (account_id, created_at)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE unsubscribe_keys');
  }
}
