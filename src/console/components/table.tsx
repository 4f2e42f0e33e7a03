import type { ComponentChildren } from 'preact';

/** The cell of each column, by the name of the column. A column that is false is left out. */
export type Columns<Row> = Readonly<Record<string, false | ((row: Row, index: number) => ComponentChildren)>>;

export interface TableProps<Row> {
  /** Says what the rows are. */
  caption: string;
  columns: Columns<Row>;
  rows: readonly Row[];
  /** What to say, or to do, while there are no rows. */
  empty: ComponentChildren;
  /** The columns whose cells are numbers. */
  numbers?: readonly string[];
  /** Whether the table always keeps its columns, and scrolls. */
  isWide?: boolean;
}

/**
 * A table whose cells are below each other where they have little room, with the names of their columns. What is still too
 * wide scrolls on its own, so it can be focused (WCAG 2.2, 2.1.1). The first cell of a row names the row.
 */
export function Table<Row>(table: TableProps<Row>) {
  const { caption, rows, empty, numbers = [], isWide = false } = table;
  if (rows.length === 0) {
    return <p class="empty">{empty}</p>;
  }
  const columns = Object.entries(table.columns).flatMap(([name, cellOf]) =>
    cellOf ? [{ name, cellOf, class: numbers.includes(name) ? 'number' : undefined }] : [],
  );
  const canStack = !isWide && columns.length > 2;
  const [first, ...others] = columns;
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class={canStack ? (columns.length > 4 ? 'many' : 'few') : undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.class}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <th scope="row">{first!.cellOf(row, index)}</th>
              {others.map((column) => (
                <td key={column.name} class={column.class} data-label={canStack ? column.name : undefined}>
                  {column.cellOf(row, index)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
