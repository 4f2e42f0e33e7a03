import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erased addresses whose blocks an account keeps, by their pseudonyms, and which of them an instance may have read. */
export class CreateKeptBlocks1767225600160 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE kept_blocks (
        announced_at  timestamptz(3)   NOT NULL DEFAULT clock_timestamp(),
        renamed_at    timestamptz(3),
        account_id    integer          NOT NULL,
        filter        integer          NOT NULL,
        pseudonym     text COLLATE "C" NOT NULL,
        CONSTRAINT kept_blocks_pkey            PRIMARY KEY (account_id, pseudonym),
        CONSTRAINT kept_blocks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )
    `);
    await queryRunner.query('ALTER TABLE accounts ADD COLUMN kept_blocks_version uuid');
    await queryRunner.query(`
      ALTER TABLE erasures
        ADD COLUMN keep_block boolean NOT NULL DEFAULT false,
        ADD COLUMN contact text COLLATE "C"
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE erasures DROP COLUMN keep_block, DROP COLUMN contact');
    await queryRunner.query('ALTER TABLE accounts DROP COLUMN kept_blocks_version');
    await queryRunner.query('DROP TABLE kept_blocks');
  }
}
