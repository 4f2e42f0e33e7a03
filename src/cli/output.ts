import { constants } from 'node:os';
import { writingProblem } from '../process/file-problem.js';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';
import { printable } from '../process/printable.js';

/** Shells add this to the number of the signal that ended a command. */
const SIGNALLED = 128;

export function exitCodeOf(signal: NodeJS.Signals): number {
  return SIGNALLED + constants.signals[signal];
}

/** The output cannot be written, because the disk is full or its reader is gone. */
export class OutputError extends OperatorError {
  /**
   * Whether the reader closed the output, as `head` does once it has enough. The command then exits silently, as after SIGPIPE.
   */
  readonly isClosed: boolean;
  override readonly exitCode: number;

  constructor(error: NodeJS.ErrnoException) {
    super(`The output cannot be written: ${writingProblem(error)}`);
    this.isClosed = error.code === 'EPIPE';
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

/** Prints a result as JSON, or as text for people. */
export function printAs(json: boolean | undefined, result: unknown, text: string): Promise<void> {
  return print(json ? JSON.stringify(result) : text);
}

const DEFAULT_COLUMNS = 80;
const GAP = '  ';
/** Longer words, such as addresses, may be broken. */
const LONGEST_WHOLE_WORD = 40;

type Row = Record<string, unknown>;

interface TableOptions<Element> {
  /** Print one JSON array of the elements instead of a table. */
  json?: boolean | undefined;
  /** What to print instead of an empty table. */
  empty?: string;
  /** By default, the elements are rows. */
  toRow?: (element: Element) => object;
}

export function printTable<Element extends object>(
  elements: Element[],
  { json, empty = '', toRow = (row) => row }: TableOptions<Element> = {},
): Promise<void> {
  const rows = elements.map(toRow) as Row[];
  return printAs(json, elements, rows.length > 0 ? table(rows, terminalColumns()) : empty);
}

export function printRow(row: Row, { json }: { json?: boolean }): Promise<void> {
  return printAs(json, row, table([row], terminalColumns()));
}

/** The width of the terminal; unlimited if the output is not a terminal. */
export function terminalColumns(): number {
  return process.stdout.isTTY ? process.stdout.columns || DEFAULT_COLUMNS : Infinity;
}

/**
 * Prints names and values, one below the other.
 *
 * @param result - the object that is printed as JSON
 */
export function printFields(json: boolean | undefined, fields: Row, result: object = fields): Promise<void> {
  return printAs(json, result, fieldLines(fields).join('\n'));
}

export function fieldLines(fields: Row): string[] {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields).map(([name, value]) => `${name.padEnd(width)}${GAP}${cell(value)}`);
}

/** Rows below headings, with long values wrapped. Rows that would be too wide even so become lists of their fields. */
export function table(rows: Row[], columns: number): string {
  const headings = Object.keys(rows[0]!);
  const lines = [headings, ...rows.map((row) => headings.map((heading) => cell(row[heading])))];
  const widths = fit(lines, columns - GAP.length * (headings.length - 1));
  return widths
    ? lines.flatMap((line) => layOut(line, widths)).join('\n')
    : rows.map((row) => fieldLines(row).join('\n')).join('\n\n');
}

/** Narrows the widest columns until the row fits; undefined if that would break words. */
function fit(lines: string[][], room: number): number[] | undefined {
  const widest = (measure: (text: string) => number) =>
    lines[0]!.map((_, column) => maximum(lines, (line) => measure(line[column]!)));
  const widths = widest((text) => text.length);
  const least = widest((text) => Math.min(longestWord(text), LONGEST_WHOLE_WORD));
  while (sum(widths) > room) {
    const spare = widths.map((width, column) => (width > least[column]! ? width : 0));
    if (sum(spare) === 0) {
      return undefined;
    }
    widths[spare.indexOf(Math.max(...spare))]!--;
  }
  return widths;
}

function layOut(line: string[], widths: number[]): string[] {
  const cells = line.map((text, column) => wrap(text, widths[column]!));
  return Array.from({ length: Math.max(...cells.map((parts) => parts.length)) }, (_, index) =>
    cells
      .map((parts, column) => (parts[index] ?? '').padEnd(widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
}

/** Breaks a text between words, and words that are longer than a line. */
export function wrap(text: string, width: number): string[] {
  if (text.length <= width) {
    return [text];
  }
  const space = text.lastIndexOf(' ', width);
  const end = space > 0 ? space : width;
  return [text.slice(0, end).trimEnd(), ...wrap(text.slice(end).trimStart(), width)];
}

function longestWord(text: string): number {
  return maximum(text.split(' '), (word) => word.length);
}

/** Unlike `Math.max`, it takes any number of elements: a list may have millions. */
export function maximum<Element>(
  elements: readonly Element[],
  measure: (element: Element) => number,
): number {
  return elements.reduce((highest, element) => Math.max(highest, measure(element)), 0);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function cell(value: unknown): string {
  return value === null ? '-' : printable(Array.isArray(value) ? value.join(' ') : String(value));
}
