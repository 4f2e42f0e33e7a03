/**
 * Many values as one text, to PostgreSQL and back. Of many rows `pg` makes a string for each value and an object for each
 * row, which takes longer than it takes PostgreSQL to join them; an array of many it quotes value by value. None of the
 * values may have control characters: ids, addresses, moments and words have none.
 */
const BETWEEN = '\t';
const BETWEEN_IN_SQL = `E'\\t'`;

/** Values for {@link unpackValues}. */
export function packValues(values: string[]): string {
  return values.join(BETWEEN);
}

/** SQL of the array of the values that a parameter has. */
export function unpackValues(parameter: string): string {
  return `string_to_array(${parameter}, ${BETWEEN_IN_SQL})`;
}

/** The answer of a statement that selects {@link packRows}. */
export interface PackedRows {
  packed: string | null;
}

/** @param columns - SQL of what is never null; the rows stay in the order of the sub-select that they come from */
export function packRows(columns: string[]): string {
  return `string_agg(concat_ws(${[BETWEEN_IN_SQL, ...columns].join(', ')}), ${BETWEEN_IN_SQL}) AS packed`;
}

/**
 * @param columns - those that were packed
 * @param toRow - makes a row of the values from `first` on, in the order of the columns
 * @throws when a value must have had a control character, or was null
 */
export function unpackRows<Row>(
  [answer]: PackedRows[],
  columns: string[],
  toRow: (values: string[], first: number) => Row,
): Row[] {
  const values = answer?.packed?.split(BETWEEN) ?? [];
  if (values.length % columns.length !== 0) {
    throw new Error(`The rows of ${columns.join(', ')} cannot be told apart.`);
  }
  const rows: Row[] = [];
  for (let first = 0; first < values.length; first += columns.length) {
    rows.push(toRow(values, first));
  }
  return rows;
}
