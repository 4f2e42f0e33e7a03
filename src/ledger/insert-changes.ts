import type { ChangeActor } from './actor.js';

/**
 * The one INSERT into the ledger, as common table expressions. It is a part of the statement that changes the list, so that
 * both happen or neither; and so does the row that announces the lines to the feed. The first five parameters of that
 * statement are {@link changeParameters}.
 *
 * The row of the feed is built from the lines, so it gets its id while the statement holds the locks on what it changes: rows
 * about one address are in the order of their ids.
 *
 * @param rows - SQL for the rows, in the order in which they are written, with the columns `action`, `suppression_id`,
 *   `email`, `cause`, `email_id`, `occurred_at`, `event_id` and `note`
 * @param options.id - SQL for the id of a line
 * @param options.topicId - SQL for the topic whose preference changed
 * @param options.expiresAt - SQL for `SuppressionChange.expiresAt`
 * @returns SQL for `logged`, the lines as they were written, and `announced`
 */
export function insertChanges(
  rows: string,
  { id = 'uuid_v7()', topicId = 'NULL', expiresAt = 'NULL' } = {},
): string {
  return `
    logged AS (
      INSERT INTO suppression_changes (
        account_id, id, actor_type, actor_id, actor_name, evidence,
        action, suppression_id, email, cause, email_id, occurred_at, event_id, note, topic_id,
        expires_at
      )
      SELECT $1, ${id}, $2, $3, $4, $5::jsonb, action, suppression_id, email, cause, email_id, occurred_at, event_id, note,
        ${topicId}, ${expiresAt}
      FROM ${rows}
      RETURNING id, revision, action, cause
    ),
    announced AS (
      INSERT INTO feed_pending (account_id, change_ids)
      SELECT $1, array_agg(id ORDER BY revision)
      FROM logged
      HAVING count(*) > 0
    )`;
}

export function changeParameters(accountId: number, actor: ChangeActor): unknown[] {
  return [accountId, actor.type, actor.id, actor.name, actor.evidence ?? null];
}
