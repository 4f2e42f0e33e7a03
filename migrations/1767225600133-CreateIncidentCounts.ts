import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Results of the mail to a group of domains, in five minutes, and the addresses that bounced with one answer. */
export class CreateIncidentCounts1767225600133 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE incident_counts (
        at               timestamptz(3)    NOT NULL,
        account_id       integer           NOT NULL,
        results          integer           NOT NULL,
        addresses        integer           NOT NULL,
        known            integer           NOT NULL,
        recent           integer           NOT NULL,
        text_hash        uuid              NOT NULL,
        receiving_group  text COLLATE "C"  NOT NULL,
        CONSTRAINT incident_counts_pkey PRIMARY KEY (account_id, at, text_hash, receiving_group)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX incident_counts_texts_idx
      ON incident_counts (account_id, text_hash, at, receiving_group)
      WHERE text_hash <> '00000000-0000-0000-0000-000000000000'
    `);
    await queryRunner.query(
      `COMMENT ON COLUMN incident_counts.text_hash IS 'Zeros in the row with all results, and with bounces without an answer'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE incident_counts');
  }
}
