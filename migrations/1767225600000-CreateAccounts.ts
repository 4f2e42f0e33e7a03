import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccounts1767225600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE removal_policy AS ENUM ('open', 'guarded')`);
    await queryRunner.query(`CREATE TYPE complaint_reach AS ENUM ('all', 'marketing')`);
    await queryRunner.query(`
      CREATE TABLE accounts (
        id                integer          GENERATED ALWAYS AS IDENTITY,
        name              text             NOT NULL,
        created_at        timestamptz      NOT NULL DEFAULT now(),
        beta_admitted_at  timestamptz,
        removal           removal_policy   NOT NULL DEFAULT 'open',
        complaint_reach   complaint_reach  NOT NULL DEFAULT 'all',
        bounce_expiry     smallint[],
        rules_version     uuid,
        CONSTRAINT accounts_pkey                PRIMARY KEY (id),
        CONSTRAINT accounts_name_key            UNIQUE (name),
        CONSTRAINT accounts_name_check          CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
        CONSTRAINT accounts_bounce_expiry_check CHECK (cardinality(bounce_expiry) BETWEEN 1 AND 10 AND 1 <= ALL (bounce_expiry))
      )
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN accounts.bounce_expiry IS 'Days that the first, second, … bounce counts; null: for good'
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE accounts');
    await queryRunner.query('DROP TYPE complaint_reach');
    await queryRunner.query('DROP TYPE removal_policy');
  }
}
