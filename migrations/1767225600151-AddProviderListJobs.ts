import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An instance of the previous version that claims such a job releases it again. */
export class AddProviderListJobs1767225600151 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TYPE job_kind ADD VALUE 'compare'`);
    await queryRunner.query(`ALTER TYPE job_kind ADD VALUE 'pull'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM jobs WHERE kind IN ('compare', 'pull')`);
    await queryRunner.query('ALTER TYPE job_kind RENAME TO job_kind_with_provider_lists');
    await queryRunner.query(`CREATE TYPE job_kind AS ENUM ('import', 'revert', 'lift')`);
    await queryRunner.query('ALTER TABLE jobs ALTER COLUMN kind TYPE job_kind USING kind::text::job_kind');
    await queryRunner.query('DROP TYPE job_kind_with_provider_lists');
  }
}
