/**
 * SQL: when somebody last lifted a bounce of an address, in `lifted_at`. A removal lifts the causes that the record had, so one of a
 * record without a bounce lifts none. The first parameter of the statement is the account.
 */
export function liftedBounce(email: string): string {
  return `
    SELECT coalesce(removal.occurred_at, removal.created_at) AS lifted_at
    FROM suppression_changes AS removal
    WHERE removal.account_id = $1
      AND removal.email = ${email}
      AND (removal.action = 'removed' OR removal.action = 'cause_removed' AND removal.cause = 'bounce')
      AND removal.actor_type <> 'source'
      AND removal.evidence ->> 'reverted_import' IS NULL
      AND (
        removal.cause = 'bounce'
        OR (
          SELECT known.action IN ('added', 'strengthened', 'cause_added')
          FROM suppression_changes AS known
          WHERE known.account_id = $1
            AND known.email = ${email}
            AND known.suppression_id = removal.suppression_id
            AND known.cause = 'bounce'
            AND known.revision < removal.revision
          ORDER BY known.revision DESC
          LIMIT 1
        )
      )
    ORDER BY removal.revision DESC
    LIMIT 1`;
}
