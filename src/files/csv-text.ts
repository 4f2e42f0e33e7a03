import { CsvRows, type CsvRow } from './csv-rows.js';

const DELIMITERS = [',', ';', '\t', '|'];

/** The usual names of a column of addresses, in the form of {@link foldName}. */
export const EMAIL_COLUMNS = ['email', 'emailaddress', 'mail', 'address', 'recipient'];

/** Maps `Email Address`, `EMAIL_ADDRESS`, and `emailAddress` to the same name. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

const QUOTED_FIELD = /(^|[,;\t|]) *"[^"]*(?:""[^"]*)*"/g;

/**
 * The delimiter of a CSV: the most frequent one in its first row, outside quotation marks. Delimiters before a space count only if
 * the row has no others, because Excel quotes no comma in a file with semicolons: `E-Mail;Name, Vorname`. They also count if only
 * they separate the name of the column of addresses: `Email, Name, Groups;Tags`.
 *
 * @param emailColumns - the names that this column may have, in the form of {@link foldName}
 */
export function delimiterOf(head: string, emailColumns = EMAIL_COLUMNS): string {
  const [firstRow = ''] = head.replace(QUOTED_FIELD, '$1').split('\n', 1);
  const withoutSpaces = firstRow.replace(/[,;|] /g, '');
  const strict = mostFrequent(withoutSpaces, ',');
  const loose = mostFrequent(firstRow, strict);
  const hasEmail = (delimiter: string) =>
    firstRow.split(delimiter).some((name) => emailColumns.includes(foldName(name)));
  return /[,;\t|]/.test(withoutSpaces) && (hasEmail(strict) || !hasEmail(loose)) ? strict : loose;
}

function mostFrequent(text: string, preferred: string): string {
  return DELIMITERS.reduce(
    (best, delimiter) => (text.split(delimiter).length > text.split(best).length ? delimiter : best),
    preferred,
  );
}

/**
 * The fields of the first row that has text.
 *
 * @param head - the beginning of the file, or all of it
 * @throws {UnreadableFileError} if the row has a mistake
 */
export function firstFields(head: string, delimiter: string): string[] {
  const rows = new CsvRows(delimiter);
  const hasText = ({ raw }: CsvRow) => raw.trim() !== '';
  const row = rows.read(head).find(hasText) ?? rows.end().find(hasText);
  return row?.fields ?? [];
}

const NEEDS_QUOTES = /[",\r\n]/;
/**
 * A spreadsheet runs a cell that begins like this, and so does one that strips white space before it. If a field is split
 * before a doubled quotation mark, Excel reads that as an empty text, and then the formula.
 */
const FORMULA = /^[\s"]*[=+\-@]|^\t/;

/** Removes the quotation marks around a line that is one field. */
export function unquote(line: string): string {
  return /^".*"$/s.test(line) ? line.slice(1, -1).replaceAll('""', '"') : line;
}

/** A row of CSV (RFC 4180), with its line ending. */
export function csvRow(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/** A field of CSV, in quotation marks if it needs them. */
export function csvField(field: string): string {
  return NEEDS_QUOTES.test(field) || field !== field.trim() ? `"${field.replaceAll('"', '""')}"` : field;
}

/**
 * The parts of a field that can become cells. In countries with decimal commas, Excel splits a CSV at semicolons, and ignores
 * quotation marks within such a cell.
 */
const CELLS = /[^;\r\n]+/g;

/** The beginning of a CSV for spreadsheets. Excel reads UTF-8 only after a byte order mark. */
export const SPREADSHEET_START = '\ufeff';

/** A field of CSV that a spreadsheet shows as text, and does not run as a formula. {@link unescapeSpreadsheetField} reads it. */
export function spreadsheetField(field: string): string {
  return csvField(field.replace(CELLS, (cell) => (needsApostrophe(cell) ? `'${cell}` : cell)));
}

export function unescapeSpreadsheetField(field: string): string {
  return field.replace(CELLS, (cell) =>
    cell.startsWith("'") && needsApostrophe(cell) ? cell.slice(1) : cell,
  );
}

/** A cell that already begins with an apostrophe gets another one, so that every field is read back as it was. */
function needsApostrophe(cell: string): boolean {
  return FORMULA.test(cell.replace(/^'+/, ''));
}

/**
 * Why a file cannot be split into lines; null if it can be.
 *
 * @param head - the beginning of a file that is not JSON
 */
export function problemWithLines(head: string): string | null {
  const [firstLine = ''] = head.trimStart().split('\n', 1);
  if (firstLine.trimEnd().includes('\r')) {
    return 'The lines of the file end in CR alone, as on old Macs. Save it as CSV in UTF-8, whose lines end in LF or CRLF.';
  }
  const addresses = head.replace(/"[^"]*"/g, '').split('@').length - 1;
  return addresses > 1 && !head.includes('\n')
    ? 'The file has several addresses, but no line breaks. With curl, send it with --data-binary: -d removes them.'
    : null;
}

/**
 * Why a line cannot be a header, and what to do about it; null if it can be one.
 *
 * @param fields - without white space around them
 */
export function headerProblem([first = '', ...others]: readonly string[]): string | null {
  if (others.some((field) => field !== '')) {
    return null;
  }
  if (/^sep=.?$/i.test(first)) {
    return 'The first line, sep=, is only for Excel. Delete it, so that the file begins with its header.';
  }
  return first === ''
    ? 'The first line has no names. Delete it, so that the file begins with its header.'
    : null;
}
