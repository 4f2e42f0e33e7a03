import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The one exception to the append-only ledger: a function that replaces an address in some lines by a pseudonym, also where
 * their notes and evidence quote it, and changes nothing else. The trigger recognises it by the stack of calls, whose words
 * depend on the language of the server.
 */
export class LetErasuresChangeTheLedger1767225600141 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION erase_from_ledger(account integer, lines uuid[], address text, quotation text, pseudonym text)
      RETURNS integer
      LANGUAGE plpgsql
      AS $$
        DECLARE
          erased integer;
        BEGIN
          IF pseudonym !~ '^erased-[a-z2-7]{26}@erased[.]invalid$' OR regexp_replace(address, quotation, '') <> '' THEN
            RAISE EXCEPTION 'erase_from_ledger replaces an address by a pseudonym, nothing else'
              USING ERRCODE = 'restrict_violation';
          END IF;
          UPDATE suppression_changes
          SET
            email = CASE WHEN email = address THEN pseudonym ELSE email END,
            note = left(regexp_replace(note, quotation, pseudonym, 'g'), 1000),
            evidence = regexp_replace(evidence::text, quotation, pseudonym, 'g')::jsonb
          WHERE account_id = account AND id = ANY (lines);
          GET DIAGNOSTICS erased = ROW_COUNT;
          RETURN erased;
        END
      $$
    `);
    await queryRunner.query(`
      CREATE OR REPLACE FUNCTION refuse_to_change_the_ledger() RETURNS trigger
      LANGUAGE plpgsql
      AS $$
        DECLARE
          calls text;
        BEGIN
          GET DIAGNOSTICS calls = PG_CONTEXT;
          IF TG_OP = 'UPDATE'
            AND calls ~ '\\n([^\\n]*[^\\na-z0-9_])?erase_from_ledger\\(integer,uuid\\[\\],text,text,text\\)[^\\n]*$'
          THEN
            RETURN NULL;
          END IF;
          RAISE EXCEPTION 'suppression_changes is append-only: % is refused', TG_OP
            USING ERRCODE = 'restrict_violation';
        END
      $$
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE OR REPLACE FUNCTION refuse_to_change_the_ledger() RETURNS trigger
      LANGUAGE plpgsql
      AS $$
        BEGIN
          RAISE EXCEPTION 'suppression_changes is append-only: % is refused', TG_OP
            USING ERRCODE = 'restrict_violation';
        END
      $$
    `);
    await queryRunner.query('DROP FUNCTION erase_from_ledger(integer, uuid[], text, text, text)');
  }
}
