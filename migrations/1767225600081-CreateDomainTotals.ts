import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many records an account has at each domain. */
export class CreateDomainTotals1767225600081 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE domain_totals (
        count       bigint            NOT NULL,
        account_id  integer           NOT NULL,
        domain      text COLLATE "C"  NOT NULL,
        CONSTRAINT domain_totals_pkey PRIMARY KEY (account_id, domain)
      )
    `);
    await queryRunner.query(`
      CREATE INDEX domain_totals_account_id_count_idx ON domain_totals (account_id, count DESC, domain)
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE domain_totals');
  }
}
