import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * RFC 9562, section 5.7, with the fraction of the millisecond in the twelve bits of `rand_a` (section 6.2, method 3), so
 * that of two rows written one after the other under a lock, the later has the greater id. PostgreSQL 18 has uuidv7().
 */
export class CreateUuidV7Function1767225600002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION uuid_v7() RETURNS uuid
      LANGUAGE sql VOLATILE PARALLEL SAFE
      AS $$
        SELECT encode(
          overlay(
            uuid_send(gen_random_uuid())
            PLACING int8send(((micros / 1000) << 16) | 28672 | (micros % 1000 * 4096 / 1000))
            FROM 1 FOR 8
          ),
          'hex'
        )::uuid
        FROM (SELECT (date_part('epoch', clock_timestamp()) * 1000000)::bigint AS micros) AS clock
      $$
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION uuid_v7()');
  }
}
