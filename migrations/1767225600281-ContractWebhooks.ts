import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only 0.2.0 asked other instances to hand over an endpoint. */
export class ContractWebhooks1767225600281 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhooks DROP COLUMN wanted_by');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE webhooks ADD COLUMN wanted_by uuid');
  }
}
