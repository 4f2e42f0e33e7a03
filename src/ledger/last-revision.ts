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
