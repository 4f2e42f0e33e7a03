import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists the lines of a lift that have one status, such as the few that were skipped. */
export class IndexLinesOfLiftsByStatus1767225600160 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS lift_lines_status_idx');
    await queryRunner.query(`
      CREATE INDEX CONCURRENTLY lift_lines_status_idx ON lift_lines (account_id, lift_id, status, number)
    `);
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX lift_lines_status_idx');
  }
}
