import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erasures of addresses, and the key of each account that makes their pseudonyms. */
export class CreateErasures1767225600140 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE erasure_keys (
        account_id  integer  NOT NULL,
        secret      text     NOT NULL,
        CONSTRAINT erasure_keys_pkey            PRIMARY KEY (account_id),
        CONSTRAINT erasure_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
      )
    `);
    await queryRunner.query(`
      CREATE TABLE erasures (
        created_at    timestamptz(3)   NOT NULL DEFAULT clock_timestamp(),
        completed_at  timestamptz(3),
        account_id    integer          NOT NULL,
        id            uuid             NOT NULL,
        pseudonym     text COLLATE "C" NOT NULL,
        reference     text             NOT NULL,
        actor         jsonb            NOT NULL,
        counts        jsonb            NOT NULL DEFAULT '{}',
        target        text,
        progress      jsonb,
        CONSTRAINT erasures_pkey            PRIMARY KEY (account_id, id),
        CONSTRAINT erasures_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT erasures_completed_check
          CHECK (num_nonnulls(target, progress) = CASE WHEN completed_at IS NULL THEN 2 ELSE 0 END)
      )
    `);
    await queryRunner.query(`COMMENT ON COLUMN erasures.target IS 'The address, AES-256-GCM'`);
    await queryRunner.query(`
      CREATE UNIQUE INDEX erasures_account_id_pseudonym_idx ON erasures (account_id, pseudonym)
      WHERE completed_at IS NULL
    `);
    await queryRunner.query(`
      CREATE INDEX erasures_account_id_pseudonym_id_idx ON erasures (account_id, pseudonym, id)
    `);
    await queryRunner.query(`
      CREATE INDEX erasures_pending_idx ON erasures (id) WHERE completed_at IS NULL
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE erasures');
    await queryRunner.query('DROP TABLE erasure_keys');
  }
}
