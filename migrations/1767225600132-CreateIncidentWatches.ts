import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the delivery events of an account have been counted. Whoever counts holds a lock on the row. */
export class CreateIncidentWatches1767225600132 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE incident_watches (
        account_id      integer  NOT NULL,
        day             date     NOT NULL,
        last_event_id   uuid     NOT NULL,
        CONSTRAINT incident_watches_pkey            PRIMARY KEY (account_id),
        CONSTRAINT incident_watches_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )
    `);
    await queryRunner.query(
      `COMMENT ON COLUMN incident_watches.day IS 'The first day without shares in incident_shares'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE incident_watches');
  }
}
