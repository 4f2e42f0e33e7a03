import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A pass: gives the committed changes of an account their positions. It is a function so that it is one round trip, and no
 * instance can stop in the middle of it with the lock in its hands.
 *
 * Each statement of a volatile function has a snapshot of its own (PostgreSQL, "Function Volatility Categories"). The DELETE
 * has to see everything that the previous pass committed, so it is a statement after the one that waits for the lock.
 *
 * A read replica serves the positions that it has.
 */
export class CreateNumberPendingChanges1767225600033 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION number_pending_changes(account integer, most_changes integer) RETURNS bigint
      LANGUAGE plpgsql VOLATILE
      AS $$
        DECLARE
          head bigint;
          numbered_changes bigint;
        BEGIN
          IF pg_is_in_recovery() THEN
            RETURN 0;
          END IF;

          SELECT last_position INTO head FROM feed_heads WHERE account_id = account FOR UPDATE;
          IF NOT FOUND THEN
            INSERT INTO feed_heads (account_id) VALUES (account) ON CONFLICT DO NOTHING;
            SELECT last_position INTO head FROM feed_heads WHERE account_id = account FOR UPDATE;
          END IF;

          WITH oldest AS (
            SELECT id, sum(cardinality(change_ids)) OVER (ORDER BY id) - cardinality(change_ids) AS before
            FROM (SELECT * FROM feed_pending WHERE account_id = account ORDER BY id LIMIT most_changes) AS pending
          ),
          taken AS (
            DELETE FROM feed_pending
            WHERE account_id = account AND id <= (SELECT max(id) FROM oldest WHERE before < most_changes)
            RETURNING id, change_ids
          ),
          numbered AS (
            SELECT change_id, row_number() OVER (ORDER BY taken.id, line.number) AS number
            FROM taken, unnest(change_ids) WITH ORDINALITY AS line (change_id, number)
          ),
          paged AS (
            INSERT INTO feed_pages (account_id, first_position, change_ids)
            SELECT account, head + min(number), array_agg(change_id ORDER BY number)
            FROM numbered
            GROUP BY (number - 1) / 100
          )
          SELECT count(*) INTO numbered_changes FROM numbered;

          IF numbered_changes > 0 THEN
            UPDATE feed_heads SET last_position = head + numbered_changes WHERE account_id = account;
          END IF;
          RETURN numbered_changes;
        END
      $$
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION number_pending_changes(integer, integer)');
  }
}
