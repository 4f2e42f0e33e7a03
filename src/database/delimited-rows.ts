/**
 * Many values as one text, to PostgreSQL and back. Of many rows `pg` makes a string for each value and an object for each
 * row, which takes longer than it takes PostgreSQL to join them; an array of many it quotes value by value. None of the
 * values may have control characters: ids, addresses, moments and words have none.
 */
const BETWEEN = '\t';
const BETWEEN_IN_SQL = `E'\\t'`;
const END = '\n';
const END_IN_SQL = `E'\\n'`;

/** Values for {@link undelimitValues}. */
export function delimitValues(values: string[]): string {
  return values.join(BETWEEN);
}

/** SQL of the array of the values that a parameter has. */
export function undelimitValues(parameter: string): string {
  return `string_to_array(${parameter}, ${BETWEEN_IN_SQL})`;
}

/** The answer of a statement that selects {@link delimitRows}. */
export interface DelimitedRows {
  packed: string | null;
}

/** @param columns - SQL of what is never null; the rows stay in the order of the sub-select that they come from */
export function delimitRows(columns: string[]): string {
  return `string_agg(concat_ws(${[BETWEEN_IN_SQL, ...columns, END_IN_SQL].join(', ')}), ${BETWEEN_IN_SQL}) AS packed`;
}

/**
 * @param columns - those that were packed
 * @param toRow - makes a row of the values from `first` on, in the order of the columns
 * @throws when a row has not so many values, as where one had what stands between them, or was null
 */
export function undelimitRows<Row>(
  [answer]: DelimitedRows[],
  columns: string[],
  toRow: (values: string[], first: number) => Row,
): Row[] {
  const values = answer?.packed?.split(BETWEEN) ?? [];
  const rows: Row[] = [];
  for (let first = 0; first < values.length; first += columns.length + 1) {
    if (values[first + columns.length] !== END) {
      throw new Error(`The rows of ${columns.join(', ')} cannot be told apart.`);
    }
    rows.push(toRow(values, first));
  }
  return rows;
}
