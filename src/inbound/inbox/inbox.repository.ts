import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DatabaseError } from 'pg';
import { DataSource, Repository, type EntityManager } from 'typeorm';
import { chunksOf } from '../../database/chunks-of.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { ReadReplica } from '../../database/read-replica.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { findPage } from '../../http/find-page.js';
import type { Cursor, Page } from '../../http/page.js';
import { lastRevision } from '../../ledger/last-revision.js';
import { lowestIdAt } from '../../suppressions/suppression-id.js';
import { initialOutcome, type DeliveryEvent, type DeliveryEventKind } from '../parsing/delivery-event.js';
import type { EventOutcome } from '../projection/judge.js';
import type { NewEvent } from '../projection/new-event.js';
import { UnknownSourceError } from '../sources/errors.js';
import type { Source } from '../sources/source.entity.js';
import { INBOX_RETENTION_DAYS } from '../sources/sources.service.js';
import type { EventResult } from './event-result.js';
import { StoredEvent } from './stored-event.entity.js';

const DAY_MS = 86_400_000;
/** PostgreSQL's foreign_key_violation: an event references nothing but its source. */
const FOREIGN_KEY_VIOLATION = '23503';

const STORE = new PreparedStatement<{ id: string; key: string }>(
  'store-delivery-events',
  `INSERT INTO delivery_events (
    account_id, source_id, received_at,
    key, kind, effect, outcome, recipient, email_id, raw_message_id, status, diagnostic, reason, occurred_at, topic_id, revision
  )
  SELECT $1, $2, $3, reported.*, CASE WHEN effect = 'watch' THEN ${lastRevision('recipient')} END
  FROM unnest(
    $4::text[] COLLATE "C", $5::delivery_event_kind[], $6::delivery_event_effect[], $7::delivery_event_outcome[],
    $8::text[], $9::uuid[], $10::text[], $11::text[], $12::text[], $13::text[], $14::timestamptz[],
    $15::uuid[]
  ) AS reported (
    key, kind, effect, outcome, recipient, email_id, raw_message_id, status, diagnostic, reason, occurred_at, topic_id
  )
  ORDER BY reported.key
  ON CONFLICT (account_id, source_id, key) DO NOTHING
  RETURNING id, key`,
);

/** Events are joined by `ctid`: a plan that joins by id may read all events of the account. */
const WRITE_OUTCOMES = new PreparedStatement<Record<string, never>>(
  'write-event-outcomes',
  `UPDATE delivery_events
  SET outcome = changed.outcome,
    suppression_id = changed.suppression_id,
    reason = coalesce(changed.reason, delivery_events.reason),
    rule_id = changed.rule_id
  FROM unnest($2::uuid[], $3::delivery_event_outcome[], $4::uuid[], $5::text[], $6::uuid[])
    AS changed (id, outcome, suppression_id, reason, rule_id)
  CROSS JOIN LATERAL (
    SELECT account_id, ctid FROM delivery_events WHERE account_id = $1 AND id = changed.id LIMIT 1
  ) AS found
  WHERE delivery_events.account_id = found.account_id AND delivery_events.ctid = found.ctid`,
);

/**
 * Reports and lifts are kept, since they decide about later lifts, and so are soft failures that suppressed, since they
 * explain a record. Rows that somebody else has locked are left for the next time.
 */
const DELETE_EXPIRED = new PreparedStatement<Record<string, never>>(
  'delete-expired-events',
  `WITH oldest AS MATERIALIZED (
    SELECT account_id, ctid
    FROM delivery_events
    WHERE account_id = $1 AND effect IN ('watch', 'success', 'none') AND outcome IN ('counted', 'nothing') AND id < $2
    ORDER BY id
    LIMIT $3
    FOR UPDATE SKIP LOCKED
  )
  DELETE FROM delivery_events
  USING oldest
  WHERE delivery_events.account_id = oldest.account_id AND delivery_events.ctid = oldest.ctid`,
);

const FIND_RESULTS = new PreparedStatement<Omit<EventResult, 'isRepeated'> & { key: string }>(
  'find-event-results',
  `SELECT key, outcome, reason, suppression_id AS "suppressionId"
  FROM delivery_events
  WHERE account_id = $1 AND source_id = $2 AND key = ANY ($3)`,
);

/** Deletes as many as fit well into the time that a statement may take. */
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

/** Which events are listed. */
export interface EventFilter {
  email?: EmailAddress | undefined;
  /** The id of a source. */
  source?: string | undefined;
  kind?: DeliveryEventKind | undefined;
}

/** Stores delivery events. */
@Injectable()
export class InboxRepository extends Repository<StoredEvent> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly replica: ReadReplica,
    @Inject(INBOX_RETENTION_DAYS) private readonly retentionDays: number,
  ) {
    super(StoredEvent, dataSource.manager);
  }

  /** A page of the events of an account, newest first. */
  findPage(
    accountId: number,
    { email, source, kind }: EventFilter,
    cursor: Cursor,
  ): Promise<Page<StoredEvent>> {
    const where = {
      accountId,
      ...(email && { recipient: email }),
      ...(source && { sourceId: source }),
      ...(kind && { kind }),
    };
    return this.replica.read(({ manager }) => findPage(manager.getRepository(StoredEvent), [where], cursor));
  }

  /**
   * Stores events in the order of their keys, so that two deliveries of the same events do not deadlock: one waits for the
   * other. Of events with the same key, the first one counts.
   *
   * @returns the events that were not stored before, in the order given
   * @throws {UnknownSourceError} when the source was deleted since it was looked up
   */
  async store(
    source: Source,
    reported: DeliveryEvent[],
    receivedAt: Date,
    transaction: EntityManager,
  ): Promise<NewEvent[]> {
    const events = firstOfEachKey(reported);
    const ids = new Map<string, string>();
    for (const chunk of chunksOf(events.toSorted(byKey))) {
      for (const { id, key } of await this.storeChunk(source, chunk, receivedAt, transaction)) {
        ids.set(key, id);
      }
    }
    return events.flatMap((event) => {
      const id = ids.get(event.key);
      return id === undefined ? [] : [{ ...event, id, receivedAt }];
    });
  }

  private storeChunk(
    { accountId, id: sourceId }: Source,
    events: DeliveryEvent[],
    receivedAt: Date,
    transaction: EntityManager,
  ): Promise<{ id: string; key: string }[]> {
    return STORE.run(transaction, [
      accountId,
      sourceId,
      receivedAt,
      events.map(({ key }) => key),
      events.map(({ kind }) => kind),
      events.map(({ effect }) => effect),
      events.map(({ effect }) => initialOutcome(effect)),
      events.map(({ recipient }) => recipient),
      events.map(({ emailId }) => emailId),
      events.map(({ rawMessageId }) => rawMessageId),
      events.map(({ status }) => status),
      events.map(({ diagnostic }) => diagnostic),
      events.map(({ reason }) => reason),
      events.map(({ occurredAt }) => occurredAt),
      events.map(({ topicId }) => topicId),
    ]).catch((error: unknown) => {
      throw isSourceGone(error) ? new UnknownSourceError() : error;
    });
  }

  async writeOutcomes(
    accountId: number,
    outcomes: EventOutcome[],
    transaction: EntityManager,
  ): Promise<void> {
    const changed = outcomes.filter(isWorthWriting);
    if (changed.length > 0) {
      await WRITE_OUTCOMES.run(transaction, [
        accountId,
        changed.map(({ event }) => event.id),
        changed.map(({ outcome }) => outcome),
        changed.map(({ suppressionId }) => suppressionId),
        changed.map(({ reason }) => reason ?? null),
        changed.map(({ ruleId }) => ruleId ?? null),
      ]);
    }
  }

  /** Deletes the oldest events that changed nothing and are older than the retention. */
  async deleteExpired(accountId: number, limit: number, transaction: EntityManager): Promise<void> {
    const end = lowestIdAt(Date.now() - this.retentionDays * DAY_MS);
    await DELETE_EXPIRED.run(transaction, [accountId, end, limit]);
  }

  /** The results of earlier events, by key. */
  async findResults(
    { accountId, id }: Source,
    keys: string[],
    transaction: EntityManager,
  ): Promise<Map<string, EventResult>> {
    const rows = await FIND_RESULTS.run(transaction, [accountId, id, keys]);
    return new Map(rows.map(({ key, ...result }) => [key, { ...result, isRepeated: true }]));
  }

  /**
   * Deletes the events of a source.
   *
   * @throws {DeadlineExceededError}
   */
  async deleteOfSource({ accountId, id }: Source, deadline: number): Promise<void> {
    let rows: { deleted: number }[];
    do {
      rows = await DELETE_SOME.write(this.dataSource, { deadline }, [accountId, id]);
    } while (rows[0]!.deleted > 0);
  }
}

function isSourceGone(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === FOREIGN_KEY_VIOLATION;
}

function firstOfEachKey(events: DeliveryEvent[]): DeliveryEvent[] {
  const keys = new Set<string>();
  return events.filter(({ key }) => !keys.has(key) && keys.add(key));
}

function byKey({ key: one }: DeliveryEvent, { key: other }: DeliveryEvent): number {
  return one < other ? -1 : Number(one > other);
}

/** Whether anything differs from what was stored with the event. */
function isWorthWriting({ event, outcome, suppressionId, reason }: EventOutcome): boolean {
  return outcome !== initialOutcome(event.effect) || suppressionId !== null || reason !== undefined;
}
