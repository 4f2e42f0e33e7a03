import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The indexes for lookups by id and for the list end in the timestamp of the id, not in the id: PostgreSQL fills pages of
 * rising entries only if these have at most 16 bytes. So a domain is in its index by a hash.
 */
export class CreateSuppressions1767225600003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE suppression_cause AS ENUM ('bounce', 'manual', 'unsubscribe', 'complaint')
    `);
    await queryRunner.query(`
      COMMENT ON TYPE suppression_cause IS 'From the weakest to the strongest'
    `);
    await queryRunner.query(`
      CREATE FUNCTION cause_bit(cause suppression_cause) RETURNS integer
      LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN CASE cause WHEN 'bounce' THEN 1 WHEN 'manual' THEN 2 WHEN 'unsubscribe' THEN 4 WHEN 'complaint' THEN 8 END
    `);
    await queryRunner.query(`
      CREATE FUNCTION strongest_cause(causes integer) RETURNS suppression_cause
      LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN CASE
        WHEN causes >= 8 THEN 'complaint'::suppression_cause
        WHEN causes >= 4 THEN 'unsubscribe'::suppression_cause
        WHEN causes >= 2 THEN 'manual'::suppression_cause
        WHEN causes >= 1 THEN 'bounce'::suppression_cause
      END
    `);
    await queryRunner.query(`
      CREATE TABLE suppressions (
        created_at     timestamptz        NOT NULL,
        account_id     integer            NOT NULL,
        cause          suppression_cause  NOT NULL,
        weaker_causes  smallint           NOT NULL DEFAULT 0,
        id             uuid               NOT NULL,
        email          text COLLATE "C"   NOT NULL,
        email_id       uuid,
        import_id      uuid,
        expires_at     timestamptz(3),
        CONSTRAINT suppressions_pkey            PRIMARY KEY (account_id, email),
        CONSTRAINT suppressions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT suppressions_email_check     CHECK (octet_length(email) <= 320 AND email LIKE '_%@_%'),
        CONSTRAINT suppressions_email_id_check  CHECK (cause <> 'manual' OR email_id IS NULL),
        CONSTRAINT suppressions_expires_at_check CHECK (expires_at IS NULL OR (weaker_causes | cause_bit(cause)) & 3 <> 0),
        CONSTRAINT suppressions_weaker_causes_check CHECK (weaker_causes >= 0 AND weaker_causes < cause_bit(cause))
      )
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN suppressions.weaker_causes IS 'The sum of cause_bit of all causes but the strongest'
    `);
    await queryRunner.query(`
      COMMENT ON COLUMN suppressions.import_id IS 'The import that made the last change, until somebody confirms the record'
    `);
    await queryRunner.query(`
      CREATE FUNCTION domain_key(domain text, cause suppression_cause) RETURNS integer
      LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN ('x' || encode(substr(sha256(decode(domain, 'escape')), 1, 4), 'hex'))::bit(32)::integer & -4
        | CASE cause WHEN 'bounce' THEN 0 WHEN 'complaint' THEN 1 ELSE 2 END
    `);
    await queryRunner.query(`
      COMMENT ON FUNCTION domain_key IS '30 bits of a hash of the domain, and 2 bits of the origin'
    `);
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_expires_at_idx ON suppressions (account_id, expires_at)
      WHERE expires_at IS NOT NULL
    `);
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_created_at_idx ON suppressions (account_id, created_at)
    `);
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_origin_created_at_idx
      ON suppressions (account_id, (CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END), created_at)
    `);
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_domain_key_created_at_idx
      ON suppressions (account_id, domain_key(split_part(email, '@', -1), cause), created_at)
    `);
    await queryRunner.query(`
      CREATE STATISTICS suppressions_domain_statistics ON (split_part(email, '@', -1)) FROM suppressions
    `);
    await queryRunner.query(`
      CREATE STATISTICS suppressions_day_statistics ON ((created_at AT TIME ZONE 'UTC')::date) FROM suppressions
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE suppressions');
    await queryRunner.query('DROP FUNCTION domain_key(text, suppression_cause)');
    await queryRunner.query('DROP FUNCTION strongest_cause(integer)');
    await queryRunner.query('DROP FUNCTION cause_bit(suppression_cause)');
    await queryRunner.query('DROP TYPE suppression_cause');
  }
}
