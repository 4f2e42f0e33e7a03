import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUnsubscribeSettings1767225600051 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE unsubscribe_settings (
        account_id   integer  NOT NULL,
        sender_name  text,
        mailbox      text,
        CONSTRAINT unsubscribe_settings_pkey              PRIMARY KEY (account_id),
        CONSTRAINT unsubscribe_settings_account_id_fkey   FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT unsubscribe_settings_sender_name_check CHECK (char_length(sender_name) BETWEEN 1 AND 100),
        CONSTRAINT unsubscribe_settings_mailbox_check     CHECK (octet_length(mailbox) <= 320 AND mailbox LIKE '_%@_%')
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE unsubscribe_settings');
  }
}
