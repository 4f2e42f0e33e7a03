/**
 * SQL that finds one row by its id, after the condition on the account. The order and the limit rule out every index except the
 * primary key, even in a plan that was made while the tables were empty.
 */
export function hasId(id: string): string {
  return `id >= ${id} AND id <= ${id} ORDER BY id LIMIT 1`;
}
