import { csvField, csvRow, spreadsheetField } from '../files/csv-text.js';
import { originOf } from '../ledger/cause.js';
import type { ExportWriter } from './export-writer.js';
import type { ExportedSuppression } from './exported-suppression.js';

const COLUMNS = [
  'object',
  'id',
  'email',
  'origin',
  'source_id',
  'created_at',
  'cause',
  'causes',
  'expires_at',
  'note',
];

/** Marks the file, so that an import removes what {@link spreadsheetField} added. */
export const SPREADSHEET_COLUMN = 'spreadsheet';

export const NDJSON_WRITER: ExportWriter = {
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  header: '',
  needsNotes: true,
  write: (record) => `${JSON.stringify(toJson(record))}\n`,
};

/** @param isForSpreadsheet - keeps a spreadsheet from running cells as formulas */
export function csvWriter(isForSpreadsheet: boolean): ExportWriter {
  const [cell, end] = isForSpreadsheet ? [spreadsheetField, ',true'] : [csvField, ''];
  return {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    header: csvRow(isForSpreadsheet ? [...COLUMNS, SPREADSHEET_COLUMN] : COLUMNS),
    needsNotes: true,
    write: (record) => toCsv(record, cell, end),
  };
}

function toJson(record: ExportedSuppression): Record<string, unknown> {
  const { id, email, cause, causes, createdAt, expiresAt, note } = record;
  return {
    object: 'suppression',
    id,
    email,
    origin: originOf(cause),
    source_id: sourceIdOf(record),
    created_at: createdAt,
    cause,
    causes,
    expires_at: expiresAt,
    note,
  };
}

/** @param cell - writes a field that may need quotation marks */
function toCsv(record: ExportedSuppression, cell: (text: string) => string, end: string): string {
  const { id, email, cause, causes, createdAt, expiresAt, note } = record;
  return (
    `suppression,${id},${cell(email)},${originOf(cause)},${sourceIdOf(record) ?? ''},${createdAt},` +
    `${cause},${causes.join(' ')},${expiresAt ?? ''},${note === null ? '' : cell(note)}${end}\r\n`
  );
}

function sourceIdOf({ cause, emailId }: ExportedSuppression): string | null {
  return originOf(cause) === 'manual' ? null : emailId;
}
