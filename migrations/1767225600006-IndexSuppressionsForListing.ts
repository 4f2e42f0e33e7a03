import type { MigrationInterface, QueryRunner } from 'typeorm';

/** With the id at their end, so that a page of a filtered list costs the same wherever it lies, under both filters, too. */
export class IndexSuppressionsForListing1767225600006 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_origin_id_idx
      ON suppressions (account_id, (CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END), id)
    `);
    await queryRunner.query(`
      CREATE INDEX suppressions_account_id_domain_origin_id_idx
      ON suppressions (
        account_id,
        (split_part(email, '@', -1)),
        (CASE cause WHEN 'unsubscribe' THEN 'manual' ELSE cause END),
        id
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX suppressions_account_id_domain_origin_id_idx');
    await queryRunner.query('DROP INDEX suppressions_account_id_origin_id_idx');
  }
}
