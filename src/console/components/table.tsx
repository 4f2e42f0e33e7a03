import type { ComponentChildren, JSX } from 'preact';

interface TableProps {
  /** Says what the rows are. */
  caption: string;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ComponentChildren[] }[];
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
export function Table(table: TableProps): JSX.Element {
  const { caption, columns, rows, empty, numbers = [], isWide = false } = table;
  if (rows.length === 0) {
    return <p class="empty">{empty}</p>;
  }
  const canStack = !isWide && columns.length > 2;
  const classOf = (column: string | undefined) => (numbers.includes(column!) ? 'number' : undefined);
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class={canStack ? (columns.length > 4 ? 'many' : 'few') : undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={classOf(column)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {others.map((cell, index) => (
                <td
                  key={columns[index + 1]}
                  class={classOf(columns[index + 1])}
                  data-label={canStack ? columns[index + 1] : undefined}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
