import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * As in {@link ReplaceOriginIndex1767225600070}. Earlier instances still call `domain_key` with a cause, so a later migration drops
 * that function.
 */
export class ReplaceDomainIndex1767225600071 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE OR REPLACE FUNCTION domain_key(domain text, causes integer) RETURNS integer
      LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN ('x' || encode(substr(sha256(decode(domain, 'escape')), 1, 4), 'hex'))::bit(32)::integer & -16 | causes
    `);
    await queryRunner.query(`
      COMMENT ON FUNCTION domain_key(text, integer) IS '28 bits of a hash of the domain, and the mask of the causes'
    `);
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS suppressions_account_id_domain_causes_created_at_idx',
    );
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY suppressions_account_id_domain_causes_created_at_idx
      ON suppressions (account_id, domain_key(split_part(email, '@', -1), weaker_causes | cause_bit(cause)), created_at)
    `);
    await queryRunner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS suppressions_account_id_domain_key_created_at_idx',
    );
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_domain_key_created_at_idx
      ON suppressions (account_id, domain_key(split_part(email, '@', -1), cause), created_at)
    `);
    await queryRunner.query('DROP INDEX suppressions_account_id_domain_causes_created_at_idx');
    await queryRunner.query('DROP FUNCTION domain_key(text, integer)');
  }
}
