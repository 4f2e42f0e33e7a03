import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { initialOutcome } from '../parsing/outcome.js';
import type { EventOutcome } from '../projection/judgment.js';
import type { Source } from '../sources/source.entity.js';
import type { EventResult } from './event-result.js';

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

const FIND_RESULTS = new PreparedStatement<Omit<EventResult, 'isRepeated'> & { key: string }>(
  'find-event-results',
  `SELECT key, outcome, reason, suppression_id AS "suppressionId"
  FROM delivery_events
  WHERE account_id = $1 AND source_id = $2 AND key = ANY ($3)`,
);

@Injectable()
export class OutcomesRepository {
  async write(accountId: number, outcomes: EventOutcome[], transaction: EntityManager): Promise<void> {
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

  async findResults(
    { accountId, id }: Source,
    keys: string[],
    transaction: EntityManager,
  ): Promise<Map<string, EventResult>> {
    const rows = await FIND_RESULTS.run(transaction, [accountId, id, keys]);
    return new Map(rows.map(({ key, ...result }) => [key, { ...result, isRepeated: true }]));
  }
}

/** Whether anything differs from what was stored with the event. */
function isWorthWriting({ event, outcome, suppressionId, reason }: EventOutcome): boolean {
  return outcome !== initialOutcome(event.effect) || suppressionId !== null || reason !== undefined;
}
