import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The inbox: what sources reported, and what each event changed. The expressions and conditions of the indexes are those
 * of the statements that use them.
 */
export class CreateDeliveryEvents1767225600006 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE delivery_event_kind AS ENUM (
        'bounce', 'complaint', 'unsubscribe', 'manual', 'resubscribe', 'removed', 'delivered', 'unknown'
      )
    `);
    await queryRunner.query(`
      CREATE TYPE delivery_event_effect AS ENUM (
        'suppress', 'suppress-if-absent', 'watch', 'lift', 'opt-out', 'opt-in', 'success', 'none'
      )
    `);
    await queryRunner.query(`
      CREATE TYPE delivery_event_outcome AS ENUM (
        'added', 'strengthened', 'cause_added', 'removed', 'counted', 'ignored', 'opted_out', 'opted_in', 'nothing'
      )
    `);
    await queryRunner.query(`
      CREATE TABLE delivery_events (
        received_at     timestamptz(3)          NOT NULL,
        occurred_at     timestamptz(3),
        account_id      integer                 NOT NULL,
        revision        bigint,
        kind            delivery_event_kind     NOT NULL,
        effect          delivery_event_effect   NOT NULL,
        outcome         delivery_event_outcome  NOT NULL,
        id              uuid                    NOT NULL DEFAULT uuid_v7(),
        source_id       uuid                    NOT NULL,
        suppression_id  uuid,
        email_id        uuid,
        rule_id         uuid,
        topic_id        uuid,
        key             text COLLATE "C"        NOT NULL,
        recipient       text COLLATE "C",
        status          text,
        diagnostic      text,
        reason          text                    NOT NULL,
        raw_message_id  text,
        CONSTRAINT delivery_events_pkey                     PRIMARY KEY (account_id, id),
        CONSTRAINT delivery_events_account_id_source_id_key UNIQUE (account_id, source_id, key),
        CONSTRAINT delivery_events_source_id_fkey
          FOREIGN KEY (account_id, source_id) REFERENCES sources (account_id, id) ON DELETE CASCADE,
        CONSTRAINT delivery_events_key_check                CHECK (length(key) BETWEEN 1 AND 200)
      )
    `);
    for (const columns of [['recipient'], ['source_id'], ['kind'], ['source_id', 'kind']]) {
      await queryRunner.query(`
        CREATE INDEX delivery_events_account_id_${columns.join('_')}_id_idx
        ON delivery_events (account_id, ${columns.join(', ')}, id)
      `);
    }
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_recipient_list_idx
      ON delivery_events (account_id, recipient)
      WHERE effect IN ('suppress', 'suppress-if-absent', 'lift')
    `);
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_recipient_mail_idx
      ON delivery_events (account_id, recipient, effect, coalesce(occurred_at, received_at))
      WHERE effect IN ('watch', 'success')
    `);
    await queryRunner.query(`
      CREATE INDEX delivery_events_account_id_id_idx
      ON delivery_events (account_id, id)
      WHERE effect IN ('watch', 'success', 'none') AND outcome IN ('counted', 'nothing')
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE delivery_events');
    await queryRunner.query('DROP TYPE delivery_event_outcome');
    await queryRunner.query('DROP TYPE delivery_event_effect');
    await queryRunner.query('DROP TYPE delivery_event_kind');
  }
}
