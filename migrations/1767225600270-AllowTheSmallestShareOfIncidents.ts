import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The column is of type real, whose 0.01 is less than the numeric 0.01. */
export class AllowTheSmallestShareOfIncidents1767225600270 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE accounts
        DROP CONSTRAINT accounts_incident_min_share_check,
        ADD CONSTRAINT accounts_incident_min_share_check CHECK (incident_min_share BETWEEN 0.01::real AND 1)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('UPDATE accounts SET incident_min_share = 0.011 WHERE incident_min_share < 0.01');
    await queryRunner.query(`
      ALTER TABLE accounts
        DROP CONSTRAINT accounts_incident_min_share_check,
        ADD CONSTRAINT accounts_incident_min_share_check CHECK (incident_min_share BETWEEN 0.01 AND 1)
    `);
  }
}
