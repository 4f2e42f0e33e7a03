/**
 * SQL for the `account_id` of the accounts that have rows in a table, in ascending order. It takes one index lookup for each of
 * them, however many rows they have (a loose index scan).
 *
 * @param table - has an index that begins with `account_id`
 * @param after - SQL for an id: only greater ones are found
 */
export function accountsWith(table: string, after = '0'): string {
  const nextAfter = (id: string) =>
    `SELECT account_id FROM ${table} WHERE account_id > ${id} ORDER BY account_id LIMIT 1`;
  return `(
    WITH RECURSIVE found AS (
      (${nextAfter(after)})
      UNION ALL
      SELECT (${nextAfter('found.account_id')}) FROM found WHERE account_id IS NOT NULL
    )
    SELECT account_id FROM found WHERE account_id IS NOT NULL
  )`;
}

/**
 * SQL that finds one row by its id, after the condition on the account. The order and the limit allow no index but the primary
 * key, also in a plan that was made while the tables were empty.
 */
export function hasId(id: string): string {
  return `id >= ${id} AND id <= ${id} ORDER BY id LIMIT 1`;
}
