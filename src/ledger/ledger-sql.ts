import type { ChangeActor } from './evidence.js';

/**
 * The one INSERT into the ledger, as common table expressions. It is a part of the statement that changes the list, as is the
 * row that announces the lines to the feed, so that either all of them happen or none. The first five parameters of that
 * statement are {@link changeParameters}.
 *
 * The rows of `change` before it become lines, in their order. They have the columns `action`, `suppression_id`, `email`, `cause`,
 * `email_id`, `occurred_at`, `event_id` and `note`.
 *
 * The row of the feed is built from the lines, so it gets its id while the statement holds the locks on what it changes: rows
 * about one address are in the order of their ids.
 *
 * @param options.id - SQL for the id of a line
 * @param options.topicId - SQL for the topic whose preference changed
 * @param options.expiresAt - SQL for `SuppressionChange.expiresAt`
 * @returns SQL for `logged`, the lines as they were written, and `announced`
 */
export function insertChanges({ id = 'uuid_v7()', topicId = 'NULL', expiresAt = 'NULL' } = {}): string {
  return `
    logged AS (
      INSERT INTO suppression_changes (
        account_id, id, actor_type, actor_id, actor_name, evidence,
        action, suppression_id, email, cause, email_id, occurred_at, event_id, note, topic_id,
        expires_at
      )
      SELECT $1, ${id}, $2, $3, $4, $5::jsonb, action, suppression_id, email, cause, email_id, occurred_at, event_id, note,
        ${topicId}, ${expiresAt}
      FROM change
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

/**
 * SQL for the last revision of an address, 0 if nothing ever happened to it. The first parameter of the statement is the
 * account.
 */
export function lastRevision(email: string): string {
  return `coalesce((
    SELECT last.revision
    FROM suppression_changes AS last
    WHERE last.account_id = $1 AND last.email = ${email}
    ORDER BY last.revision DESC
    LIMIT 1
  ), 0)`;
}

/** SQL for the revision of the last change of an address, except for its choices of topics. The first parameter is the account. */
export function lastRevisionOfRecord(email: string): string {
  return `(
    SELECT last.revision
    FROM suppression_changes AS last
    WHERE last.account_id = $1 AND last.email = ${email} AND last.topic_id IS NULL
    ORDER BY last.revision DESC
    LIMIT 1
  )`;
}

/**
 * SQL for the ledger line that last added a cause of a record of `locked`. The first parameter of the statement is the account.
 *
 * @param columns - SQL for columns of the line, which is called `added`
 */
export function lastAddition(columns: string, cause: string): string {
  return `
    SELECT ${columns}
    FROM suppression_changes AS added
    WHERE added.account_id = $1
      AND added.email = locked.email
      AND added.suppression_id = locked.id
      AND added.cause = ${cause}
      AND added.action IN ('added', 'strengthened', 'cause_added')
    ORDER BY added.revision DESC
    LIMIT 1`;
}

/**
 * SQL condition: two imports are of the same file. Importing a file again, after a double click or a lost response, confirms
 * nothing.
 *
 * @param earlier - SQL for the id of an import, or null
 * @param later - SQL for the id of another one, or of another actor
 */
export function isSameFile(earlier: string, later: string): string {
  return `EXISTS (
    SELECT FROM imports AS earlier_import
    JOIN imports AS later_import USING (account_id, file_hash)
    WHERE earlier_import.account_id = $1 AND earlier_import.id = ${earlier} AND later_import.id = ${later}
  )`;
}
