import type { Actor } from './actor.js';

/**
 * The one INSERT into the ledger. It is a part of the statement that changes the list, so that both happen or neither.
 * The first five parameters of that statement are {@link changeParameters}.
 *
 * @param rows - SQL of the rows, in the order in which they are written, with the columns `action`, `suppression_id`,
 *   `email`, `cause`, `email_id`, `occurred_at`, `event_id` and `note`
 * @param topicId - SQL of the topic whose preference changed
 */
export function insertChanges(rows: string, topicId = 'NULL'): string {
  return `
    INSERT INTO suppression_changes (
      account_id, actor_type, actor_id, actor_name, evidence,
      action, suppression_id, email, cause, email_id, occurred_at, event_id, note, topic_id
    )
    SELECT $1, $2, $3, $4, $5::jsonb, action, suppression_id, email, cause, email_id, occurred_at, event_id, note, ${topicId}
    FROM ${rows}`;
}

export function changeParameters(accountId: number, actor: Actor): unknown[] {
  return [accountId, actor.type, actor.id, actor.name, actor.evidence ?? null];
}
