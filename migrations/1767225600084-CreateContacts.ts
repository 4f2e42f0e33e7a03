import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The addresses of contact ids that were handed out. Ids that come with a preference are in `topic_preferences`, too. */
export class CreateContacts1767225600084 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE contacts (
        created_at  timestamptz(3)    NOT NULL,
        account_id  integer           NOT NULL,
        id          uuid              NOT NULL,
        email       text COLLATE "C"  NOT NULL,
        CONSTRAINT contacts_pkey            PRIMARY KEY (account_id, id),
        CONSTRAINT contacts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT contacts_email_check     CHECK (octet_length(email) <= 320 AND email LIKE '_%@_%')
      )
    `);
    await queryRunner.query(`COMMENT ON COLUMN contacts.id IS 'UUIDv5 of the account and the address'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE contacts');
  }
}
