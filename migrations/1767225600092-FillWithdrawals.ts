import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Some addresses at a time, so that a request that removes one of them waits only briefly. At the end, an index is dropped that
 * PostgreSQL would use instead of suppression_changes_bounce_removals_idx; without it, earlier instances read all lines of an
 * address.
 */
export class FillWithdrawals1767225600092 implements MigrationInterface {
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DO $$
        DECLARE
          account integer;
          first text;
          beyond text;
        BEGIN
          FOR account IN SELECT id FROM accounts ORDER BY id LOOP
            first := '';
            LOOP
              SELECT max(email) INTO beyond
              FROM (
                SELECT email
                FROM suppression_changes
                WHERE account_id = account AND email > first AND action IN ('removed', 'cause_removed', 'opted_in')
                ORDER BY email
                LIMIT 500
              ) AS page;
              EXIT WHEN beyond IS NULL;
              INSERT INTO withdrawals AS last (account_id, email, subject, source_id, withdrawn_at)
              SELECT account, line.email, subject, withdrawing_source(line), max(coalesce(line.occurred_at, line.created_at))
              FROM suppression_changes AS line
              CROSS JOIN LATERAL subjects_withdrawn(line) AS subject
              WHERE line.account_id = account
                AND line.email > first
                AND line.email <= beyond
                AND line.action IN ('removed', 'cause_removed', 'opted_in')
                AND line.evidence ->> 'reverted_import' IS NULL
              GROUP BY 2, 3, 4
              ORDER BY 2, 3, 4
              ON CONFLICT (account_id, email, subject, source_id) DO UPDATE
              SET withdrawn_at = excluded.withdrawn_at
              WHERE last.withdrawn_at < excluded.withdrawn_at;
              COMMIT;
              first := beyond;
            END LOOP;
          END LOOP;
        END
      $$
    `);
    await queryRunner.query('SET lock_timeout = 0');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS suppression_changes_withdrawals_idx');
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX suppression_changes_withdrawals_idx
      ON suppression_changes (account_id, email)
      WHERE action IN ('removed', 'cause_removed', 'opted_in')
    `);
    await queryRunner.query('DELETE FROM withdrawals');
  }
}
