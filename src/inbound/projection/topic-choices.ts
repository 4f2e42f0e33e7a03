import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/rows.js';
import { NO_SOURCE } from '../../ledger/suppression-change.entity.js';
import { PreferencesRepository } from '../../topics/preferences.repository.js';
import type { Source } from '../sources/source.entity.js';
import type { EventOutcome, NewEvent } from './event-outcome.js';

interface ChoiceRow {
  id: string;
  isBeforeOptIn: boolean;
}

const EVENTS = new RowSet(3, {
  id: 'uuid',
  recipient: 'text',
  topicId: 'uuid',
  isOptIn: 'boolean',
  occurredAt: 'timestamptz',
});

/**
 * Finds the events that still count. An event no longer counts once a later event about the same topic is stored or, for an
 * opt-out, once the recipient has opted in here after it. Times are compared to the second, because some providers report no
 * fractions. An opt-in reverts only an opt-out that the same source reported.
 */
const FIND_EFFECTIVE = new PreparedStatement<ChoiceRow>(
  'find-effective-choices',
  `SELECT
    event.id,
    NOT event.is_opt_in AND coalesce(preference.subscription = 'opt_in', false) AND EXISTS (
      SELECT FROM withdrawals AS opt_in
      WHERE opt_in.account_id = $1
        AND opt_in.email = event.recipient
        AND opt_in.subject = event.topic_id::text
        AND opt_in.source_id = '${NO_SOURCE}'
        AND date_trunc('second', opt_in.withdrawn_at) > event.occurred_at
    ) AS "isBeforeOptIn"
  FROM ${EVENTS.as('event')}
  LEFT JOIN topic_preferences AS preference
    ON preference.account_id = $1 AND preference.email = event.recipient AND preference.topic_id = event.topic_id
  WHERE (
      SELECT last.occurred_at
      FROM delivery_events AS last
      WHERE last.account_id = $1
        AND last.recipient = event.recipient
        AND last.topic_id = event.topic_id
        AND last.source_id = $2
        AND last.occurred_at IS NOT NULL
      ORDER BY last.occurred_at DESC
      LIMIT 1
    ) > event.occurred_at IS NOT TRUE
    AND (
      NOT event.is_opt_in
      OR preference.subscription = 'opt_out' AND (
        SELECT actor_id
        FROM suppression_changes AS change
        WHERE change.account_id = $1 AND change.email = event.recipient AND change.topic_id = event.topic_id
        ORDER BY revision DESC
        LIMIT 1
      ) = $2
    )`,
);

const BEFORE_OPT_IN = 'It happened before the recipient opted in to the topic.';

@Injectable()
export class TopicChoices {
  constructor(private readonly preferences: PreferencesRepository) {}

  /**
   * @param events - events with topics, in the order in which they were reported. The latest event of an address and a topic
   *   counts; if it is unknown which is the latest, the one that was reported last
   */
  async apply(source: Source, events: NewEvent[], transaction: EntityManager): Promise<EventOutcome[]> {
    const latest = latestOf(events);
    const { accountId, id: sourceId, name } = source;
    const rows = await FIND_EFFECTIVE.run(transaction, [
      accountId,
      sourceId,
      ...EVENTS.values(latest.map((event) => ({ ...event, isOptIn: event.effect === 'opt-in' }))),
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const overruled = latest.filter(({ id }) => byId.get(id)?.isBeforeOptIn);
    const effective = latest.filter(({ id }) => byId.get(id)?.isBeforeOptIn === false);
    const choices = effective.map((event) => ({
      email: event.recipient!,
      topicId: event.topicId!,
      subscription: event.effect === 'opt-in' ? ('opt_in' as const) : ('opt_out' as const),
      emailId: event.emailId,
      occurredAt: event.occurredAt,
      eventId: event.id,
      note: null,
    }));
    const actor = { type: 'source', id: sourceId, name } as const;
    const how = { via: 'source', optIns: 'any' } as const;
    const changes = await this.preferences.set({ accountId, actor }, choices, how, transaction);
    const changed = new Set(changes.map(({ email, topicId }) => `${topicId} ${email}`));
    const changing = effective.filter((event) => changed.has(choiceOf(event)));
    return [
      ...changing.map((event): EventOutcome => {
        const outcome = event.effect === 'opt-in' ? 'opted_in' : 'opted_out';
        return { event, outcome, suppressionId: null };
      }),
      ...overruled.map((event): EventOutcome => {
        return { event, outcome: 'nothing', suppressionId: null, reason: BEFORE_OPT_IN };
      }),
    ];
  }
}

/** The latest event of each address and topic. The order of the reports decides for an event without a time. */
function latestOf(events: NewEvent[]): NewEvent[] {
  const latest = new Map<string, number>();
  for (const event of events) {
    const choice = choiceOf(event);
    latest.set(choice, Math.max(event.occurredAt?.getTime() ?? -Infinity, latest.get(choice) ?? -Infinity));
  }
  const candidates = events.filter(
    (event) => event.occurredAt === null || event.occurredAt.getTime() === latest.get(choiceOf(event)),
  );
  return [...new Map(candidates.map((event) => [choiceOf(event), event])).values()];
}

function choiceOf({ topicId, recipient }: NewEvent): string {
  return `${topicId} ${recipient}`;
}
