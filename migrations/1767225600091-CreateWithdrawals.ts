import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When each cause and each opt-out of an address was last withdrawn. Only a trigger writes it, so that it also has what earlier
 * versions write to the ledger.
 *
 * The removal of a record withdraws the causes that it had, and every earlier bounce and manual entry. It does not withdraw a
 * complaint or an unsubscribe that was not known then, because it came from the recipient. The revert of an import is no evidence
 * about the recipient.
 */
export class CreateWithdrawals1767225600091 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE withdrawals (
        withdrawn_at  timestamptz(3)    NOT NULL,
        account_id    integer           NOT NULL,
        source_id     uuid              NOT NULL,
        subject       text COLLATE "C"  NOT NULL,
        email         text COLLATE "C"  NOT NULL,
        CONSTRAINT withdrawals_pkey PRIMARY KEY (account_id, email, subject, source_id)
      )
    `);
    await queryRunner.query(`
      CREATE FUNCTION subjects_withdrawn(line suppression_changes) RETURNS SETOF text
      LANGUAGE sql STABLE
      BEGIN ATOMIC
        SELECT line.topic_id::text
        WHERE line.action = 'opted_in'
        UNION ALL
        SELECT cause::text
        FROM unnest(enum_range(NULL::suppression_cause)) AS cause
        WHERE line.action IN ('removed', 'cause_removed')
          AND CASE
            WHEN cause = line.cause THEN true
            WHEN line.action = 'cause_removed' THEN false
            WHEN cause < 'unsubscribe' THEN true
            ELSE EXISTS (
              SELECT FROM suppression_changes AS added
              WHERE added.account_id = line.account_id
                AND added.suppression_id = line.suppression_id
                AND added.action = 'added'
                AND added.cause = cause.cause
            ) OR EXISTS (
              SELECT FROM suppression_changes AS later
              WHERE later.account_id = line.account_id
                AND later.suppression_id = line.suppression_id
                AND later.action <> 'added'
                AND later.cause = cause.cause
            )
          END;
      END
    `);
    await queryRunner.query(`
      CREATE FUNCTION withdrawing_source(line suppression_changes) RETURNS uuid
      LANGUAGE sql IMMUTABLE
      RETURN CASE
        WHEN line.actor_type <> 'source' THEN '00000000-0000-0000-0000-000000000000'::uuid
        WHEN line.cause >= 'unsubscribe' OR line.actor_id IS NULL THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
        ELSE line.actor_id
      END
    `);
    await queryRunner.query(`
      CREATE FUNCTION note_withdrawal() RETURNS trigger
      LANGUAGE plpgsql
      AS $$
        BEGIN
          INSERT INTO withdrawals AS last (account_id, email, subject, source_id, withdrawn_at)
          SELECT NEW.account_id, NEW.email, subject, withdrawing_source(NEW), coalesce(NEW.occurred_at, NEW.created_at)
          FROM subjects_withdrawn(NEW) AS subject
          ON CONFLICT (account_id, email, subject, source_id) DO UPDATE
          SET withdrawn_at = excluded.withdrawn_at
          WHERE last.withdrawn_at < excluded.withdrawn_at;
          RETURN NULL;
        END
      $$
    `);
    await queryRunner.query(`
      CREATE TRIGGER suppression_changes_note_withdrawal
      AFTER INSERT ON suppression_changes
      FOR EACH ROW
      WHEN (NEW.action IN ('removed', 'cause_removed', 'opted_in') AND NEW.evidence ->> 'reverted_import' IS NULL)
      EXECUTE FUNCTION note_withdrawal()
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TRIGGER suppression_changes_note_withdrawal ON suppression_changes');
    await queryRunner.query('DROP FUNCTION note_withdrawal()');
    await queryRunner.query('DROP FUNCTION withdrawing_source(suppression_changes)');
    await queryRunner.query('DROP FUNCTION subjects_withdrawn(suppression_changes)');
    await queryRunner.query('DROP TABLE withdrawals');
  }
}
