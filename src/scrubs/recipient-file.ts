import { delimiterOf, EMAIL_COLUMNS, foldName, headerProblem, unquote } from '../files/csv-text.js';
import { isMailbox } from '../email-address/mailbox.js';
import { CsvRows, type CsvRow } from '../files/csv-rows.js';
import { UnreadableUploadError } from '../http/errors/body-errors.js';
import { UnknownColumnError } from './errors.js';
import { withoutBom } from './recipient-text.js';

/** How a file of recipients is read. Its text is in Latin-1, one character for each byte, so that rows stay byte for byte. */
export interface RecipientFile {
  rows: CsvRows;
  /** The delimiter of the columns, including the appended ones. */
  delimiter: string;
  /** The line of the header, which may follow empty lines; null if the file has none. */
  headerLine: number | null;
  /** The position of the column with the addresses. */
  column: number;
}

/**
 * Finds the addresses of a file.
 *
 * @param head - the beginning of the file, in Latin-1
 * @param column - the name of the column, if the caller names one
 * @param added - the names of the columns to be added
 * @throws {UnknownColumnError | UnreadableUploadError}
 */
export function readFirstLine(
  head: string,
  column: string | undefined,
  added: readonly string[],
): RecipientFile {
  const text = withoutBom(head);
  const emptyLines = /^\s*\n/.exec(text)?.[0] ?? '';
  const [firstLine = ''] = text.slice(emptyLines.length).split('\n', 1);
  const delimiter = delimiterOf(firstLine);
  const fields = isMailbox(utf8Of(firstLine))
    ? [firstLine]
    : (new CsvRows(delimiter).read(`${firstLine}\n`)[0]?.fields ?? ['']).map((field) => utf8Of(field).trim());
  if (column === undefined && fields.length === 1 && fields[0]!.includes('@')) {
    return { rows: new CsvRows('\n', false), delimiter: ',', headerLine: null, column: 0 };
  }
  const problem = headerProblem(fields);
  if (problem !== null) {
    throw new UnreadableUploadError(problem);
  }
  const names = fields.map(foldName);
  const present = fields.filter((_field, index) => added.includes(names[index]!));
  if (present.length > 0) {
    throw new UnreadableUploadError(
      `The file already has the columns that are to be added: ${present.join(', ')}. Rename or delete them.`,
    );
  }
  const accepted = column === undefined ? EMAIL_COLUMNS : [foldName(column)];
  const found = fields.filter((_field, index) => accepted.includes(names[index]!));
  if (new Set(found.map(foldName)).size < found.length) {
    throw new UnknownColumnError(found, 'Several columns have the same name. Rename all but one of them.');
  }
  if (found.length > 1) {
    throw UnknownColumnError.noColumn(found, column);
  }
  const index = names.findIndex((name) => accepted.includes(name));
  if (index < 0) {
    throw UnknownColumnError.noColumn(fields, column);
  }
  const headerLine = emptyLines.split('\n').length;
  return { rows: new CsvRows(delimiter), delimiter, headerLine, column: index };
}

/** The address of a row; empty if the row has no such column, or if other rows may be hidden in it. */
export function addressInRow({ fields, mayHideRows }: CsvRow, { column, headerLine }: RecipientFile): string {
  if (mayHideRows) {
    return '';
  }
  const text = utf8Of(withoutBom(fields[column] ?? '')).trim();
  return headerLine === null ? unquote(text) : text;
}

/** Whether a line is empty, and so not a row. */
export function isBlank({ raw }: CsvRow): boolean {
  return withoutBom(raw).trim() === '';
}

export function isRecipient(row: CsvRow, { headerLine }: RecipientFile): boolean {
  return row.line !== headerLine && !isBlank(row);
}

/** Appends columns to a row, before its line ending. */
export function append({ raw }: CsvRow, { delimiter }: RecipientFile, values: string[]): string {
  const ending = /\r?\n?$/.exec(raw)![0];
  return (
    raw.slice(0, raw.length - ending.length) + values.map((value) => delimiter + value).join('') + ending
  );
}

const NON_ASCII = /[\u0080-\u00ff]/;

function utf8Of(latin1: string): string {
  return NON_ASCII.test(latin1) ? Buffer.from(latin1, 'latin1').toString() : latin1;
}
