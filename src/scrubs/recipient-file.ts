import { peek, toUtf8, UTF8_BOM, utf16Of } from '../files/streams.js';
import {
  delimiterOf,
  EMAIL_COLUMNS,
  firstFields,
  foldName,
  headerProblem,
  problemWithLines,
  unquote,
} from '../files/csv-text.js';
import { isMailbox } from '../email-address/mailbox.js';
import { CsvRows, type CsvRow } from '../files/csv-rows.js';
import { UnreadableUploadError } from '../http/errors/body-errors.js';
import { UnknownColumnError } from './errors.js';

/**
 * A file in an encoding that contains ASCII, without a byte order mark, and a function that writes its rows, from the first one
 * on, in the original encoding.
 */
interface DecodedFile {
  file: AsyncIterable<Buffer>;
  encode(rows: Buffer): Buffer;
}

/**
 * Decodes UTF-16, in which Excel saves "Unicode Text", so that one reader can preserve the rows of any file byte for byte.
 *
 * @throws {UnreadableFileError} while it is read, if it is damaged
 */
export async function decode(file: AsyncIterable<Buffer>): Promise<DecodedFile> {
  const { head, all } = await peek(file, (_piece, length) => length >= UTF8_BOM.length);
  const encoding = utf16Of(head);
  const hasBom = encoding !== null || head.subarray(0, UTF8_BOM.length).equals(UTF8_BOM);
  let prefix = hasBom ? UTF8_BOM : Buffer.alloc(0);
  const encode = (rows: Buffer) => {
    const marked = prefix.length > 0 ? Buffer.concat([prefix, rows]) : rows;
    prefix = Buffer.alloc(0);
    if (!encoding) {
      return marked;
    }
    const bytes = Buffer.from(marked.toString(), 'utf16le');
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  };
  return { file: encoding ? toUtf8(all) : hasBom ? withoutBom(all) : all, encode };
}

async function* withoutBom(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let skipped = UTF8_BOM.length;
  for await (const piece of file) {
    yield piece.subarray(skipped);
    skipped = 0;
  }
}

/** Enough for empty lines and the longest header. */
const HEAD_LENGTH = 64 * 1024;
const [SPACE, LINE_FEED, QUOTE] = Buffer.from(' \n"');
const JSON_START = /^\s*[[{]/;

/**
 * Reads the beginning of a file, and returns it with the whole file, in Latin-1.
 *
 * @throws {UnreadableUploadError}
 */
export async function readHead(
  file: AsyncIterable<Buffer>,
): Promise<{ head: string; texts: AsyncIterable<string> }> {
  const { head: bytes, all } = await peek(file, hasFirstRow());
  const head = bytes.toString('latin1');
  if (head.trim() === '') {
    throw new UnreadableUploadError(
      'The file is empty.',
      'Send the recipients as the body of the request, for example with curl -T campaign.csv.',
    );
  }
  if (head.includes('\0')) {
    throw new UnreadableUploadError(
      'The file is not text, or it is UTF-16 without a byte order mark. Save a spreadsheet as CSV in UTF-8, and unpack a ' +
        'compressed file.',
    );
  }
  if (JSON_START.test(head)) {
    throw new UnreadableUploadError('A scrub accepts a CSV file or one address per line, but not JSON.');
  }
  const problem = problemWithLines(head);
  if (problem !== null) {
    throw new UnreadableUploadError(problem);
  }
  return { head, texts: latin1Of(all) };
}

/** Detects the end of the first row that has text, which may have line breaks inside quotation marks. */
function hasFirstRow(): (piece: Buffer, length: number) => boolean {
  let hasText = false;
  let isQuoted = false;
  return (piece, length) => {
    const isComplete = piece.some((byte) => {
      hasText ||= byte > SPACE!;
      isQuoted = isQuoted !== (byte === QUOTE);
      return byte === LINE_FEED && hasText && !isQuoted;
    });
    return isComplete || length >= HEAD_LENGTH;
  };
}

async function* latin1Of(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const piece of file) {
    yield piece.toString('latin1');
  }
}

/** A file of recipients. Its text is read as Latin-1, one character for each byte, so that rows are preserved byte for byte. */
export interface RecipientFile {
  rows: CsvRows;
  /** The delimiter of the columns, including the appended ones. */
  delimiter: string;
  /** The line of the header, which may follow empty lines; null if the file has none. */
  headerLine: number | null;
  /** The number of columns. */
  width: number;
  /** The position of the column with the addresses. */
  column: number;
}

/**
 * Finds the addresses of a file.
 *
 * @param head - the beginning of the file, in Latin-1
 * @param column - the name of the column, if the caller names one
 * @param added - the names of the columns to be added
 * @throws {UnknownColumnError | UnreadableUploadError | UnreadableFileError}
 */
export function readFirstRow(
  head: string,
  column: string | undefined,
  added: readonly string[],
): RecipientFile {
  const emptyLines = /^\s*\n/.exec(head)?.[0] ?? '';
  const text = head.slice(emptyLines.length);
  const [firstLine = ''] = text.split('\n', 1);
  const accepted = column === undefined ? EMAIL_COLUMNS : [foldName(column)];
  const delimiter = delimiterOf(text, accepted);
  const fields = isMailbox(utf8Of(firstLine))
    ? [firstLine]
    : firstFields(head, delimiter).map((field) => nameOf(field).trim());
  if (column === undefined && fields.length === 1 && fields[0]!.includes('@')) {
    return { rows: new CsvRows('\n', false), delimiter: ',', headerLine: null, width: 1, column: 0 };
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
  return { rows: new CsvRows(delimiter), delimiter, headerLine, width: fields.length, column: index };
}

/** The address in a row; empty if the row does not have this column, or if other rows may be hidden in it. */
export function addressInRow({ fields, mayHideRows }: CsvRow, { column, headerLine }: RecipientFile): string {
  if (mayHideRows) {
    return '';
  }
  const text = utf8Of(fields[column] ?? '').trim();
  return headerLine === null ? unquote(text) : text;
}

/** Whether a line is empty, and so not a row. */
export function isBlank({ raw }: CsvRow): boolean {
  return raw.trim() === '';
}

export function isRecipient(row: CsvRow, { headerLine }: RecipientFile): boolean {
  return row.line !== headerLine && !isBlank(row);
}

/** Adds columns after those of the header. Fields that a row has beyond the header follow them. */
export function addColumns(
  { raw, fields, line }: CsvRow,
  { delimiter, headerLine, width }: RecipientFile,
  values: string[],
): string {
  const isLonger = fields.length > width && line !== headerLine;
  const end = isLonger ? endOfFields(raw, delimiter, width) : raw.search(/\r?\n?$/);
  const missing = Math.max(0, width - fields.length);
  const added = [...Array<string>(missing).fill(''), ...values].map((value) => delimiter + value);
  return raw.slice(0, end) + added.join('') + raw.slice(end);
}

/** The position of the delimiter after the first fields of a row. */
function endOfFields(raw: string, delimiter: string, count: number): number {
  const field = new RegExp(`(?:"[^"]*(?:""[^"]*)*" *\\r?|[^${delimiter}]*)[${delimiter}]`, 'y');
  for (let index = 0; index < count; index++) {
    field.test(raw);
  }
  return field.lastIndex - 1;
}

const NON_ASCII = /[\u0080-\u00ff]/;

/** The name of a column. In a file that is not UTF-8, it is taken for Latin-1, as Excel saves CSV in Western Europe. */
function nameOf(latin1: string): string {
  const name = utf8Of(latin1);
  return name.includes('\ufffd') ? latin1 : name;
}

function utf8Of(latin1: string): string {
  return NON_ASCII.test(latin1) ? Buffer.from(latin1, 'latin1').toString() : latin1;
}
