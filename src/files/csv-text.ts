const NEEDS_QUOTES = /[",\r\n]/;

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
