import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every minute, each instance tries to decrypt the secrets of the first and the last source that has some. */
export class IndexSourcesWithSecrets1767225600250 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS sources_secrets_idx');
    await queryRunner.query(
      `CREATE INDEX CONCURRENTLY sources_secrets_idx ON sources (id) WHERE secrets <> '{}'`,
    );
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX sources_secrets_idx');
  }
}
