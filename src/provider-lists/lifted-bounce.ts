/**
 * How many removals of an address are examined, and how many lines before each of them, to limit the cost of a long history.
 */
const MAX_REMOVALS = 20;
const MAX_LINES = 50;

/**
 * SQL: when somebody last lifted a bounce of an address, in `lifted_at`. A removal lifts the causes of the record, so the
 * removal of a record without a bounce does not count. The first parameter of the statement is the account.
 */
export function liftedBounce(email: string): string {
  return `
    SELECT coalesce(removal.occurred_at, removal.created_at) AS lifted_at
    FROM (
      SELECT revision, cause, actor_type, evidence, suppression_id, occurred_at, created_at
      FROM suppression_changes
      WHERE account_id = $1
        AND email = ${email}
        AND (action = 'removed' OR action = 'cause_removed' AND cause = 'bounce')
      ORDER BY revision DESC
      LIMIT ${MAX_REMOVALS}
    ) AS removal
    WHERE removal.actor_type <> 'source'
      AND removal.evidence ->> 'reverted_import' IS NULL
      AND (
        removal.cause = 'bounce'
        OR (
          SELECT known.action IN ('added', 'strengthened', 'cause_added')
          FROM (
            SELECT action, cause, suppression_id, revision
            FROM suppression_changes
            WHERE account_id = $1 AND email = ${email} AND revision < removal.revision
            ORDER BY revision DESC
            LIMIT ${MAX_LINES}
          ) AS known
          WHERE known.suppression_id = removal.suppression_id AND known.cause = 'bounce'
          ORDER BY known.revision DESC
          LIMIT 1
        )
      )
    ORDER BY removal.revision DESC
    LIMIT 1`;
}
