import type { MigrationInterface, QueryRunner } from 'typeorm';

const announce = (entries: string) => `
  INSERT INTO pending_totals (account_id, domains, days, causes)
  SELECT account_id, array_agg(domain), array_agg(day), array_agg(causes)
  FROM (${entries}) AS entry
  GROUP BY account_id`;

const entriesOf = (table: 'added' | 'removed', sign: '' | '-') => `
  SELECT
    account_id,
    split_part(email, '@', -1) AS domain,
    (created_at AT TIME ZONE 'UTC')::date AS day,
    (${sign}(weaker_causes | cause_bit(cause)))::smallint AS causes
  FROM ${table}`;

/**
 * Triggers, and not the statements of the service, announce the changes of the totals, so that those of the previous version are
 * not missed. A statement adds one row, however many records it changes.
 */
export class CreateTotalsTriggers1767225600085 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION announce_totals() RETURNS trigger
      LANGUAGE plpgsql
      AS $$
        BEGIN
          IF TG_OP = 'INSERT' THEN
            ${announce(entriesOf('added', ''))};
          ELSIF TG_OP = 'DELETE' THEN
            ${announce(entriesOf('removed', '-'))};
          ELSIF EXISTS (SELECT FROM added) THEN
            ${announce(`
              (${entriesOf('added', '')} EXCEPT ALL ${entriesOf('removed', '')})
              UNION ALL
              (${entriesOf('removed', '-')} EXCEPT ALL ${entriesOf('added', '-')})
            `)};
          END IF;
          RETURN NULL;
        END
      $$
    `);
    for (const [event, tables] of [
      ['insert', 'NEW TABLE AS added'],
      ['update', 'OLD TABLE AS removed NEW TABLE AS added'],
      ['delete', 'OLD TABLE AS removed'],
    ]) {
      await queryRunner.query(`
        CREATE TRIGGER suppressions_totals_${event}
        AFTER ${event} ON suppressions
        REFERENCING ${tables}
        FOR EACH STATEMENT EXECUTE FUNCTION announce_totals()
      `);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const event of ['insert', 'update', 'delete']) {
      await queryRunner.query(`DROP TRIGGER suppressions_totals_${event} ON suppressions`);
    }
    await queryRunner.query('DROP FUNCTION announce_totals()');
  }
}
