import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an account does about waves of bounces, and what it takes for one. */
export class AddIncidentGuard1767225600130 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TYPE incident_guard AS ENUM ('off', 'alert', 'hold')`);
    await queryRunner.query(`
      ALTER TABLE accounts
        ADD COLUMN incident_guard         incident_guard  NOT NULL DEFAULT 'alert',
        ADD COLUMN incident_min_addresses integer         NOT NULL DEFAULT 50,
        ADD COLUMN incident_min_share     real            NOT NULL DEFAULT 0.1,
        ADD CONSTRAINT accounts_incident_min_addresses_check CHECK (incident_min_addresses BETWEEN 10 AND 1000000),
        ADD CONSTRAINT accounts_incident_min_share_check     CHECK (incident_min_share BETWEEN 0.01 AND 1)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE accounts
        DROP COLUMN incident_guard,
        DROP COLUMN incident_min_addresses,
        DROP COLUMN incident_min_share
    `);
    await queryRunner.query('DROP TYPE incident_guard');
  }
}
