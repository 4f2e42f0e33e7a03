import { EXIT_CODE, OperatorError } from '../process/operator-error.js';
import { printable } from '../process/printable.js';
import { exitCodeOf } from './signal.js';

/** The output cannot be written: the disk is full, or its reader has gone. */
export class OutputError extends OperatorError {
  override readonly name = 'OutputError';
  /** Whether the reader has what it wanted, as `head` does. A command then ends without a word, as if by SIGPIPE. */
  readonly isClosed: boolean;
  override readonly exitCode: number;

  constructor({ code, message }: NodeJS.ErrnoException) {
    super(`The output cannot be written: ${message}`);
    this.isClosed = code === 'EPIPE';
    this.exitCode = this.isClosed ? exitCodeOf('SIGPIPE') : EXIT_CODE.failed;
  }
}

/**
 * Writes a line to standard output, and waits until it is written.
 *
 * @throws {OutputError}
 */
export function print(line: string): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(`${line}\n`, (error) => (error ? fail(new OutputError(error)) : done()));
  });
}

export interface TableOptions {
  /** Print one JSON array instead of a table. */
  json?: boolean;
  /** What to print instead of an empty table. */
  empty?: string;
}

export function printTable(
  rows: Record<string, unknown>[],
  { json = false, empty = '' }: TableOptions = {},
): Promise<void> {
  if (json) {
    return print(JSON.stringify(rows));
  }
  return print(rows.length > 0 ? table(rows) : empty);
}

export function printRow(row: Record<string, unknown>, { json }: { json?: boolean }): Promise<void> {
  return print(json ? JSON.stringify(row) : table([row]));
}

export function fieldLines(fields: Record<string, unknown>): string[] {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields).map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`);
}

function table(rows: Record<string, unknown>[]): string {
  const headings = Object.keys(rows[0]!);
  const lines = [headings, ...rows.map((row) => headings.map((heading) => cell(row[heading])))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  return value === null ? '-' : printable(Array.isArray(value) ? value.join(' ') : String(value));
}
