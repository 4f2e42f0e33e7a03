import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DatabaseError } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { lowestIdAt } from '../../suppressions/suppression-id.js';
import { lastRevision } from '../../ledger/last-revision.js';
import type { DeliveryEvent, Outcome } from '../parsing/delivery-event.js';
import type { NewEvent, Settlement } from '../projection/new-event.js';
import { INBOX_RETENTION_DAYS } from '../sources/sources.service.js';
import { UnknownSourceError } from '../sources/errors.js';
import type { Source } from '../sources/source.entity.js';

const DAY_MS = 86_400_000;

/** What a stored event did, or met. */
export interface StoredOutcome {
  key: string;
  outcome: Outcome;
  suppressionId: string | null;
}

const STORE = new PreparedStatement<{ id: string; key: string }>(
  'store-delivery-events',
  `INSERT INTO delivery_events (
    account_id, source_id, received_at,
    key, kind, effect, outcome, recipient, email_id, raw_message_id, status, diagnostic, reason, occurred_at, revision
  )
  SELECT $1, $2, $3, told.*, CASE WHEN told.effect = 'watch' THEN ${lastRevision('told.recipient')} END
  FROM unnest(
    $4::text[] COLLATE "C", $5::delivery_event_kind[], $6::delivery_event_effect[], $7::delivery_event_outcome[],
    $8::text[], $9::uuid[], $10::text[], $11::text[], $12::text[], $13::text[], $14::timestamptz[]
  ) AS told (
    key, kind, effect, outcome, recipient, email_id, raw_message_id, status, diagnostic, reason, occurred_at
  )
  ORDER BY told.key
  ON CONFLICT (account_id, source_id, key) DO NOTHING
  RETURNING id, key`,
);

const SETTLE = new PreparedStatement<Record<string, never>>(
  'settle-delivery-events',
  `UPDATE delivery_events
  SET outcome = settled.outcome,
    suppression_id = settled.suppression_id,
    reason = coalesce(settled.reason, delivery_events.reason)
  FROM unnest($2::uuid[], $3::delivery_event_outcome[], $4::uuid[], $5::text[])
    AS settled (id, outcome, suppression_id, reason)
  WHERE delivery_events.account_id = $1 AND delivery_events.id = settled.id`,
);

/**
 * What told against an address, and what lifts, is what later lifts are decided by; a soft failure that added a record says
 * why it is there. Nobody is waited for.
 */
const FORGET = new PreparedStatement<Record<string, never>>(
  'forget-delivery-events',
  `WITH oldest AS MATERIALIZED (
    SELECT id
    FROM delivery_events
    WHERE account_id = $1 AND effect IN ('watch', 'success', 'none') AND outcome IN ('counted', 'nothing') AND id < $2
    ORDER BY id
    LIMIT $3
    FOR UPDATE SKIP LOCKED
  )
  DELETE FROM delivery_events
  WHERE account_id = $1 AND id IN (SELECT id FROM oldest)`,
);

const FIND_OUTCOMES = new PreparedStatement<StoredOutcome>(
  'find-outcomes',
  `SELECT key, outcome, suppression_id AS "suppressionId"
  FROM delivery_events
  WHERE account_id = $1 AND source_id = $2 AND key = ANY ($3)`,
);

/** So many at a time take far less than the time that a statement may take. */
const DELETE_SOME = new PreparedStatement<{ deleted: number }>(
  'delete-delivery-events',
  `WITH deleted AS (
    DELETE FROM delivery_events
    WHERE account_id = $1 AND id IN (
      SELECT id FROM delivery_events WHERE account_id = $1 AND source_id = $2 LIMIT 10000
    )
    RETURNING id
  )
  SELECT count(*)::integer AS deleted FROM deleted`,
);

/** Where delivery events are stored before they are judged. */
@Injectable()
export class InboxRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(INBOX_RETENTION_DAYS) private readonly retentionDays: number,
  ) {}

  /**
   * Stores events in the order of their keys, and returns those that were not there, in the order given. Of those that
   * have the same key the first one is meant. Waits for another transaction that stores the same ones.
   *
   * @throws {UnknownSourceError} when the source was deleted since it was looked up
   */
  async store(
    { accountId, id: sourceId }: Source,
    told: DeliveryEvent[],
    receivedAt: Date,
    transaction: EntityManager,
  ): Promise<NewEvent[]> {
    const events = firstOfEachKey(told);
    const stored = await STORE.run(transaction, [
      accountId,
      sourceId,
      receivedAt,
      events.map(({ key }) => key),
      events.map(({ kind }) => kind),
      events.map(({ effect }) => effect),
      events.map(({ effect }) => (effect === 'watch' ? 'counted' : 'nothing')),
      events.map(({ recipient }) => recipient),
      events.map((event) => event.emailId),
      events.map(({ rawMessageId }) => rawMessageId),
      events.map(({ status }) => status),
      events.map(({ diagnostic }) => diagnostic),
      events.map(({ reason }) => reason),
      events.map(({ occurredAt }) => occurredAt),
    ]).catch((error: unknown) => {
      throw isSourceGone(error) ? new UnknownSourceError() : error;
    });
    const idOf = new Map(stored.map(({ id, key }) => [key, id]));
    return events.flatMap((event) => {
      const id = idOf.get(event.key);
      return id === undefined ? [] : [{ ...event, id, receivedAt }];
    });
  }

  /** Writes down what the events did. */
  async settle(accountId: number, settlements: Settlement[], transaction: EntityManager): Promise<void> {
    await SETTLE.run(transaction, [
      accountId,
      settlements.map(({ event }) => event.id),
      settlements.map(({ outcome }) => outcome),
      settlements.map(({ suppressionId }) => suppressionId),
      settlements.map(({ reason }) => reason ?? null),
    ]);
  }

  /**
   * Deletes the oldest events of an account that did nothing to the list, if they have been kept for long enough: two for each
   * that was stored, so that the inbox shrinks while it is fed.
   */
  async forget(accountId: number, stored: NewEvent[], transaction: EntityManager): Promise<void> {
    const end = lowestIdAt(Date.now() - this.retentionDays * DAY_MS);
    await FORGET.run(transaction, [accountId, end, 2 * stored.length]);
  }

  /** What those of the events did that are stored, in any order. */
  findOutcomes(
    { accountId, id }: Source,
    events: DeliveryEvent[],
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<StoredOutcome[]> {
    return FIND_OUTCOMES.run(on, [accountId, id, events.map(({ key }) => key)]);
  }

  /** Deletes what a source received. */
  async empty({ accountId, id }: Source): Promise<void> {
    let rows: { deleted: number }[];
    do {
      rows = await DELETE_SOME.run(this.dataSource, [accountId, id]);
    } while (rows[0]!.deleted > 0);
  }
}

/** PostgreSQL's foreign_key_violation: an event refers to nothing but its source. */
function isSourceGone(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23503';
}

function firstOfEachKey(events: DeliveryEvent[]): DeliveryEvent[] {
  const keys = new Set<string>();
  return events.filter(({ key }) => !keys.has(key) && keys.add(key));
}
