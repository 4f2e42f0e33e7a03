import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccounts1767225600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE accounts (
        id                integer      GENERATED ALWAYS AS IDENTITY,
        name              text         NOT NULL,
        created_at        timestamptz  NOT NULL DEFAULT now(),
        beta_admitted_at  timestamptz,
        CONSTRAINT accounts_pkey       PRIMARY KEY (id),
        CONSTRAINT accounts_name_key   UNIQUE (name),
        CONSTRAINT accounts_name_check CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$')
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE accounts');
  }
}
