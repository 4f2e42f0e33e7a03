/** Building the parameters of one statement for more rows would block the event loop for too long. */
const ROWS_PER_STATEMENT = 2_000;

export function* chunksOf<Row>(rows: Row[]): Iterable<Row[]> {
  for (let first = 0; first < rows.length; first += ROWS_PER_STATEMENT) {
    yield rows.slice(first, first + ROWS_PER_STATEMENT);
  }
}
