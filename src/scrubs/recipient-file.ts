import { unquoted } from '../files/csv-text.js';
import { CsvRows, type CsvRow } from '../files/csv-rows.js';
import { UnknownColumnError } from './errors.js';

const DELIMITERS = [',', ';', '\t', '|'];
const EMAIL_COLUMNS = ['email', 'emailaddress', 'mail', 'recipient', 'address'];
const UTF8_BOM = '\u00ef\u00bb\u00bf';

/** How a file of recipients is read. Its text is in Latin-1, one character for each byte, so that rows stay byte for byte. */
export interface RecipientFile {
  rows: CsvRows;
  /** Between the columns, also of those that are appended. */
  delimiter: string;
  hasHeader: boolean;
  /** The position of the column with the addresses. */
  column: number;
}

/**
 * Finds the addresses of a file.
 *
 * @param head - the beginning of the file, in Latin-1
 * @param column - the name of the column, if the caller gives it
 * @throws {UnknownColumnError}
 */
export function readFirstLine(head: string, column: string | undefined): RecipientFile {
  const text = head.startsWith(UTF8_BOM) ? head.slice(UTF8_BOM.length) : head;
  const [firstLine = ''] = text.split('\n', 1);
  const delimiter = DELIMITERS.reduce((best, one) =>
    firstLine.split(one).length > firstLine.split(best).length ? one : best,
  );
  const fields = (new CsvRows(delimiter).read(`${firstLine}\n`)[0]?.fields ?? ['']).map((field) =>
    utf8Of(field).trim(),
  );
  if (column === undefined && fields.length === 1 && fields[0]!.includes('@')) {
    return { rows: new CsvRows('\n', false), delimiter: ',', hasHeader: false, column: 0 };
  }
  const names = fields.map(fold);
  const wanted = column === undefined ? EMAIL_COLUMNS : [fold(column)];
  const found = fields.filter((_field, index) => wanted.includes(names[index]!));
  if (new Set(found.map(fold)).size < found.length) {
    throw new UnknownColumnError('Several columns have the same name. Rename all but one of them.', found);
  }
  if (found.length > 1) {
    throw UnknownColumnError.noColumn(found, column);
  }
  const index = names.findIndex((name) => wanted.includes(name));
  if (index < 0) {
    throw UnknownColumnError.noColumn(fields, column);
  }
  return { rows: new CsvRows(delimiter), delimiter, hasHeader: true, column: index };
}

/** Outside quotation marks, no line break of CSV. */
const BARE_RETURN = /\r[^\r\n]/;

/** The address of a row; empty if the row has no such column, or if a CR hides other rows in it. */
export function addressOf({ fields, raw }: CsvRow, { column, hasHeader }: RecipientFile): string {
  if (BARE_RETURN.test(raw) && fields.some((one) => one.includes('\r') && !isQuotedIn(raw, one))) {
    return '';
  }
  const field = fields[column] ?? '';
  const text = utf8Of(field.startsWith(UTF8_BOM) ? field.slice(UTF8_BOM.length) : field).trim();
  return hasHeader ? text : unquoted(text);
}

function isQuotedIn(raw: string, field: string): boolean {
  return raw.includes(`"${field.replaceAll('"', '""')}"`);
}

/** Whether a line is empty, and so no row. */
export function isBlank({ raw }: CsvRow): boolean {
  return raw.trim() === '';
}

export function isRecipient(row: CsvRow, { hasHeader }: RecipientFile): boolean {
  return !isBlank(row) && !(hasHeader && row.line === 1);
}

/** A row with more columns, before its line ending. */
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

function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
