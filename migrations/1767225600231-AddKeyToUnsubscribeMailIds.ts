import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which key made the id: after an erasure, it cannot be computed from the address any more. */
export class AddKeyToUnsubscribeMailIds1767225600231 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE unsubscribe_mail_ids ADD COLUMN key_id integer');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE unsubscribe_mail_ids DROP COLUMN key_id');
  }
}
