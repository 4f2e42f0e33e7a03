import type { ComponentChildren, JSX } from 'preact';

interface TableProps {
  /** Says what the rows are. */
  caption: string;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ComponentChildren[] }[];
  /** A sentence for a table without rows. */
  empty: string;
}

/**
 * A table that scrolls on its own on a narrow screen, so it can be focused (WCAG 2.2, 2.1.1). The first cell of a row names
 * the row.
 */
export function Table({ caption, columns, rows, empty }: TableProps): JSX.Element {
  if (rows.length === 0) {
    return <p class="empty">{empty}</p>;
  }
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
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
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
