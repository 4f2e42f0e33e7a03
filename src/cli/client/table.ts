import { printable } from '../../process/printable.js';
import { print } from '../output.js';

const DEFAULT_COLUMNS = 80;
const GAP = '  ';

/** Prints rows with a line of headings. At a terminal, long values are cut so that a row is one line. */
export function printRows(rows: Record<string, string>[]): Promise<void> {
  const headings = Object.keys(rows[0] ?? {});
  const lines = [headings, ...rows.map((row) => headings.map((heading) => printable(row[heading]!)))];
  const widths = fit(
    headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length))),
    process.stdout.isTTY ? (process.stdout.columns ?? DEFAULT_COLUMNS) : Infinity,
  );
  const text = lines.map((line) =>
    line
      .map((value, column) => cut(value, widths[column]!).padEnd(widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
  return print(text.join('\n'));
}

/** Narrows the widest columns until the row fits. */
export function fit(widths: number[], available: number): number[] {
  const fitted = [...widths];
  const room = available - GAP.length * (widths.length - 1);
  while (fitted.reduce((sum, width) => sum + width, 0) > Math.max(room, widths.length)) {
    fitted[fitted.indexOf(Math.max(...fitted))]!--;
  }
  return fitted;
}

export function cut(value: string, width: number): string {
  return value.length <= width ? value : `${value.slice(0, width - 1)}…`;
}

/** `2026-01-15 09:30` in UTC. */
export function shortTime(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}

export function withCommas(count: number): string {
  return count.toLocaleString('en-US');
}
