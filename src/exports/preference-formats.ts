import { csvRow, spreadsheetField } from '../files/csv-text.js';
import { CSV, NDJSON, SPREADSHEET_COLUMN, type ExportFormat, type ExportWriter } from './formats.js';
import type { ExportedPreference } from './preference-pages.repository.js';

export const PREFERENCE_FORMATS = ['csv', 'ndjson'] as const satisfies ExportFormat[];

/** Writes a preference with the key of its topic. */
export type PreferenceWriter = ExportWriter<ExportedPreference & { topic: string }>;

const COLUMNS = ['email', 'topic', 'subscription', 'created_at'];

const WRITERS: Record<(typeof PREFERENCE_FORMATS)[number], PreferenceWriter> = {
  csv: {
    ...CSV,
    header: csvRow(COLUMNS),
    write: ({ email, topic, subscription, createdAt }) => csvRow([email, topic, subscription, createdAt]),
  },
  ndjson: {
    ...NDJSON,
    header: '',
    write: ({ email, topic, subscription, createdAt }) =>
      `${JSON.stringify({ email, topic, subscription, created_at: createdAt })}\n`,
  },
};

/** Marks the file like an export of the list, so that an import removes the quoting. */
const SPREADSHEET_WRITER: PreferenceWriter = {
  ...WRITERS.csv,
  header: csvRow([...COLUMNS, SPREADSHEET_COLUMN]),
  write: ({ email, topic, subscription, createdAt }) =>
    `${spreadsheetField(email)},${csvRow([topic, subscription, createdAt, 'true'])}`,
};

/** @param isForSpreadsheet - keeps a spreadsheet from running cells as formulas; only with `csv` */
export function preferenceWriterOf(
  format: (typeof PREFERENCE_FORMATS)[number],
  isForSpreadsheet: boolean,
): PreferenceWriter {
  return isForSpreadsheet ? SPREADSHEET_WRITER : WRITERS[format];
}
