import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/row-set.js';
import { LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import { initialOutcome, type Effect, type Outcome } from '../parsing/outcome.js';
import type { EventOutcome, EventResult } from '../projection/event-outcome.js';
import type { Source } from '../sources/source.entity.js';

const CHANGED = new RowSet(2, {
  id: 'uuid',
  outcome: 'delivery_event_outcome',
  suppressionId: 'uuid',
  reason: 'text',
  ruleId: 'uuid',
});

/** Events are joined by `ctid`: a plan that joins by id may read all events of the account. */
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
  /** The record that has the cause that the event reported. */
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

@Injectable()
export class OutcomesRepository {
  async write(accountId: number, outcomes: EventOutcome[], transaction: EntityManager): Promise<void> {
    const changed = outcomes.filter(isWorthWriting);
    if (changed.length > 0) {
      const rows = changed.map(({ event, reason = null, ruleId = null, ...changes }) => {
        return { ...changes, id: event.id, reason, ruleId };
      });
      await WRITE_OUTCOMES.run(transaction, [accountId, ...CHANGED.values(rows)]);
    }
  }

  /** The results of earlier events, by key. Those whose cause is no longer on the list have no effect. */
  async findResults(
    { accountId, id }: Source,
    keys: string[],
    transaction: EntityManager,
  ): Promise<Map<string, EventResult>> {
    const rows = await FIND_RESULTS.run(transaction, [accountId, id, keys]);
    return new Map(rows.map((row) => [row.key, toResult(row)]));
  }
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
