import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * RFC 9562, section 5.7, with the fraction of the millisecond in the twelve bits of `rand_a` (section 6.2, method 3), so
 * that of two rows written one after the other under a lock, the later has the greater id. PostgreSQL inlines it, as it is a
 * single expression. PostgreSQL 18 has uuidv7().
 */
export class CreateUuidV7Function1767225600002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION uuid_v7() RETURNS uuid
      LANGUAGE sql VOLATILE PARALLEL SAFE
      AS $$
        SELECT (
          overlay(
            lpad(to_hex((date_part('epoch', clock_timestamp()) * 4096000)::bigint), 15, '0')
            PLACING '7' FROM 13 FOR 0
          ) || substr(gen_random_uuid()::text, 20)
        )::uuid
      $$
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION uuid_v7()');
  }
}
