import { DatabaseError } from 'pg';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { chunksOf, RowSet } from '../../database/rows.js';
import { lastRevision } from '../../ledger/ledger-sql.js';
import { LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import type { Effect, Outcome } from '../parsing/delivery-event.js';
import {
  initialOutcome,
  type EventOutcome,
  type EventResult,
  type ReceivedEvent,
} from '../projection/event-outcome.js';
import { UnknownSourceError } from '../sources/errors.js';
import type { Source } from '../sources/source.entity.js';

/** PostgreSQL's foreign_key_violation. The only foreign key of an event is its source. */
const FOREIGN_KEY_VIOLATION = '23503';

const REPORTED = new RowSet(3, {
  key: 'text',
  kind: 'delivery_event_kind',
  effect: 'delivery_event_effect',
  outcome: 'delivery_event_outcome',
  recipient: 'text',
  emailId: 'uuid',
  rawMessageId: 'text',
  status: 'text',
  diagnostic: 'text',
  reason: 'text',
  occurredAt: 'timestamptz',
  topicId: 'uuid',
  receivedAt: 'timestamptz',
});

const STORE = new PreparedStatement<{ id: string; key: string }>(
  'store-delivery-events',
  `INSERT INTO delivery_events (account_id, source_id, ${REPORTED.names}, revision)
  SELECT $1, $2, reported.*, CASE WHEN effect = 'watch' THEN ${lastRevision('recipient')} END
  FROM ${REPORTED.as('reported')}
  ORDER BY reported.key
  ON CONFLICT (account_id, source_id, key) DO NOTHING
  RETURNING id, key`,
);

/**
 * Stores events in the order of their keys, so that two deliveries of the same events do not deadlock: one waits for the
 * other.
 *
 * @param events - with different keys
 * @returns the ids of the events that were not stored before, by key
 * @throws {UnknownSourceError} when the source was deleted since it was looked up
 */
export async function storeEvents(
  { accountId, id: sourceId }: Source,
  events: ReceivedEvent[],
  transaction: EntityManager,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const chunk of chunksOf(events.toSorted(byKey))) {
    const rows = chunk.map((event) => ({ ...event, outcome: initialOutcome(event.effect) }));
    const parameters = [accountId, sourceId, ...REPORTED.values(rows)];
    const stored = await STORE.run(transaction, parameters).catch((error: unknown) => {
      throw isSourceGone(error) ? new UnknownSourceError() : error;
    });
    stored.forEach(({ id, key }) => ids.set(key, id));
  }
  return ids;
}

function isSourceGone(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === FOREIGN_KEY_VIOLATION;
}

function byKey({ key: one }: ReceivedEvent, { key: other }: ReceivedEvent): number {
  return one < other ? -1 : Number(one > other);
}

const CHANGED = new RowSet(2, {
  id: 'uuid',
  outcome: 'delivery_event_outcome',
  suppressionId: 'uuid',
  reason: 'text',
  ruleId: 'uuid',
});

/** Events are joined by `ctid`, because a plan that joins by id may read all events of the account. */
const WRITE_OUTCOMES = new PreparedStatement<Record<string, never>>(
  'write-event-outcomes',
  `UPDATE delivery_events
  SET outcome = changed.outcome,
    suppression_id = changed.suppression_id,
    reason = coalesce(changed.reason, delivery_events.reason),
    rule_id = changed.rule_id
  FROM ${CHANGED.as('changed')}
  CROSS JOIN LATERAL (
    SELECT account_id, ctid FROM delivery_events WHERE account_id = $1 AND id = changed.id LIMIT 1
  ) AS found
  WHERE delivery_events.account_id = found.account_id AND delivery_events.ctid = found.ctid`,
);

interface ResultRow extends Omit<EventResult, 'isRepeated'> {
  key: string;
  effect: Effect;
  /** The record with the cause that the event reported. */
  presentId: string | null;
}

const FIND_RESULTS = new PreparedStatement<ResultRow>(
  'find-event-results',
  `SELECT
    event.key,
    event.effect,
    event.outcome,
    event.reason,
    event.suppression_id AS "suppressionId",
    present.id AS "presentId"
  FROM delivery_events AS event
  LEFT JOIN LATERAL (
    SELECT id
    FROM suppressions
    WHERE account_id = $1
      AND email = event.recipient
      AND ${LIVE_CAUSES} & (
        SELECT cause_bit(cause) FROM unnest(enum_range(NULL::suppression_cause)) AS cause WHERE cause::text = event.kind::text
      ) <> 0
  ) AS present ON true
  WHERE event.account_id = $1 AND event.source_id = $2 AND event.key = ANY ($3)`,
);

const SUPPRESSED: readonly Outcome[] = ['added', 'strengthened', 'cause_added'];
const UNDONE = 'It was reported before, and its cause was lifted or has expired since.';

export async function writeOutcomes(
  accountId: number,
  outcomes: EventOutcome[],
  transaction: EntityManager,
): Promise<void> {
  const changed = outcomes.filter(isWorthWriting);
  if (changed.length > 0) {
    const rows = changed.map(({ event, reason = null, ruleId = null, ...changes }) => {
      return { ...changes, id: event.id, reason, ruleId };
    });
    await WRITE_OUTCOMES.run(transaction, [accountId, ...CHANGED.values(rows)]);
  }
}

/** The results of earlier events, by key. Those whose cause is no longer on the list have no effect. */
export async function findResults(
  { accountId, id }: Source,
  keys: string[],
  transaction: EntityManager,
): Promise<Map<string, EventResult>> {
  const rows = await FIND_RESULTS.run(transaction, [accountId, id, keys]);
  return new Map(rows.map((row) => [row.key, toResult(row)]));
}

function toResult({ outcome, reason, suppressionId, ...row }: ResultRow): EventResult {
  const saysListed = SUPPRESSED.includes(outcome) || (outcome === 'nothing' && row.effect === 'suppress');
  return saysListed && suppressionId !== null && suppressionId !== row.presentId
    ? { outcome: 'nothing', reason: UNDONE, suppressionId: row.presentId, isRepeated: true }
    : { outcome, reason, suppressionId, isRepeated: true };
}

/** Whether anything differs from what was stored with the event. */
function isWorthWriting({ event, outcome, suppressionId, reason }: EventOutcome): boolean {
  return outcome !== initialOutcome(event.effect) || suppressionId !== null || reason !== undefined;
}
