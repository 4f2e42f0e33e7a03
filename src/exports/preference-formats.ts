import { csvRow, spreadsheetField } from '../files/csv-text.js';
import { SPREADSHEET_COLUMN, type ExportFormat } from './formats.js';
import type { ExportedPreference } from './preference-pages.repository.js';

export const PREFERENCE_FORMATS = ['csv', 'ndjson'] as const satisfies ExportFormat[];

export interface PreferenceWriter {
  contentType: string;
  extension: string;
  header: string;
  write(preference: ExportedPreference, topicKey: string): string;
}

const COLUMNS = ['email', 'topic', 'subscription', 'created_at'];

const WRITERS: Record<(typeof PREFERENCE_FORMATS)[number], PreferenceWriter> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    header: csvRow(COLUMNS),
    write: ({ email, subscription, createdAt }, topicKey) =>
      csvRow([email, topicKey, subscription, createdAt]),
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    extension: 'ndjson',
    header: '',
    write: ({ email, subscription, createdAt }, topic) =>
      `${JSON.stringify({ email, topic, subscription, created_at: createdAt })}\n`,
  },
};

/** Marks the file like an export of the list, so that an import removes the quoting. */
const SPREADSHEET_WRITER: PreferenceWriter = {
  ...WRITERS.csv,
  header: csvRow([...COLUMNS, SPREADSHEET_COLUMN]),
  write: ({ email, subscription, createdAt }, topicKey) =>
    `${spreadsheetField(email)},${csvRow([topicKey, subscription, createdAt, 'true'])}`,
};

/** @param isForSpreadsheet - keeps a spreadsheet from running cells as formulas; only with `csv` */
export function preferenceWriterOf(
  format: (typeof PREFERENCE_FORMATS)[number],
  isForSpreadsheet: boolean,
): PreferenceWriter {
  return isForSpreadsheet ? SPREADSHEET_WRITER : WRITERS[format];
}
