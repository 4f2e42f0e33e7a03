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
