/**
 * The answer of a statement that puts its rows together in one text. Of many rows, `pg` makes a string for each value and
 * an object for each row, which takes longer than it takes PostgreSQL to join them.
 */
export interface PackedRows {
  packed: string | null;
}

/**
 * What such a statement selects.
 *
 * @param columns - SQL of what is never null and has no control characters: ids, addresses, moments, words
 */
export function pack(...columns: string[]): string {
  return `string_agg(concat_ws(E'\\t', ${columns.join(', ')}), E'\\t') AS packed`;
}

/**
 * @param columns - how many were packed
 * @param toRow - makes a row of the values from `first` on, in the order of the columns
 */
export function unpack<Row>(
  [answer]: PackedRows[],
  columns: number,
  toRow: (values: string[], first: number) => Row,
): Row[] {
  const values = answer?.packed?.split('\t') ?? [];
  const rows: Row[] = [];
  for (let first = 0; first < values.length; first += columns) {
    rows.push(toRow(values, first));
  }
  return rows;
}
