import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Suppressions that an incident holds: their bounce expires at `held_until`, unless it is kept. */
export class CreateHeldBounces1767225600135 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE held_bounces (
        held_until       timestamptz(3)  NOT NULL,
        expires_at       timestamptz(3),
        account_id       integer         NOT NULL,
        incident_id      uuid            NOT NULL,
        suppression_id   uuid            NOT NULL,
        CONSTRAINT held_bounces_pkey PRIMARY KEY (account_id, suppression_id)
      )
    `);
    await queryRunner.query(
      'CREATE INDEX held_bounces_account_id_incident_id_idx ON held_bounces (account_id, incident_id)',
    );
    await queryRunner.query(
      `COMMENT ON COLUMN held_bounces.expires_at IS 'When the bounce expires if it is kept; null if never'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE held_bounces');
  }
}
