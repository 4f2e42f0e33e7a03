const NEEDS_QUOTES = /[",\r\n]/;
/** A spreadsheet runs a cell that begins like this, and so does one that strips white space before it. */
const FORMULA = /^[\s]*[=+\-@]|^[\t\r]/;

/** A line that is one field, without the quotation marks around it. */
export function unquoted(line: string): string {
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

/** A field of CSV that a spreadsheet shows as text, and does not run as a formula. */
export function spreadsheetField(field: string): string {
  return csvField(FORMULA.test(field) ? `'${field}` : field);
}
