import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A line that announces an erasure is no decision about a cause or a choice. */
export class LetErasuresWithdrawNothing1767225600161 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceTrigger(
      queryRunner,
      `NEW.evidence ->> 'reverted_import' IS NULL AND NEW.evidence ->> 'erasure' IS NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceTrigger(queryRunner, `NEW.evidence ->> 'reverted_import' IS NULL`);
  }
}

async function replaceTrigger(queryRunner: QueryRunner, condition: string): Promise<void> {
  await queryRunner.query(`
    CREATE OR REPLACE TRIGGER suppression_changes_note_withdrawal
    AFTER INSERT ON suppression_changes
    FOR EACH ROW
    WHEN (NEW.action IN ('removed', 'cause_removed', 'opted_in') AND ${condition})
    EXECUTE FUNCTION note_withdrawal()
  `);
}
