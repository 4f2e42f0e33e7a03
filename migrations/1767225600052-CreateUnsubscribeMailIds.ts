import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row for each address and topic at most, however many emails name it. */
export class CreateUnsubscribeMailIds1767225600052 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE unsubscribe_mail_ids (
        account_id  integer           NOT NULL,
        id          uuid              NOT NULL,
        topic_id    uuid,
        email       text COLLATE "C"  NOT NULL,
        CONSTRAINT unsubscribe_mail_ids_pkey            PRIMARY KEY (account_id, id),
        CONSTRAINT unsubscribe_mail_ids_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT unsubscribe_mail_ids_topic_id_fkey   FOREIGN KEY (account_id, topic_id) REFERENCES topics (account_id, id),
        CONSTRAINT unsubscribe_mail_ids_email_check     CHECK (octet_length(email) <= 320 AND email LIKE '_%@_%')
      )
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN unsubscribe_mail_ids.id IS 'The first 128 bits of an HMAC of the topic and the address'
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE unsubscribe_mail_ids');
  }
}
