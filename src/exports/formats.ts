import { createHash } from 'node:crypto';
import { csvField, csvRow, spreadsheetField } from '../files/csv-text.js';
import { originOf, sourceIdOf, type Cause } from '../ledger/cause.js';
import type { ExportedSuppression } from './export-pages.repository.js';
import type { ExportedPreference } from './preference-pages.repository.js';

const CSV = { contentType: 'text/csv; charset=utf-8', extension: 'csv' };
const NDJSON = { contentType: 'application/x-ndjson; charset=utf-8', extension: 'ndjson' };
const TEXT = { contentType: 'text/plain; charset=utf-8', extension: 'txt' };

export interface ExportWriter<Row = ExportedSuppression> {
  contentType: string;
  extension: string;
  header: string;
  needsNotes?: boolean;
  /** Whether the file is useful only with addresses, so that records of erased addresses are omitted. */
  needsAddresses?: boolean;
  write(row: Row): string;
}

/** The columns of a CSV, or the keys of JSON, in order. In a CSV, the texts of an array are separated by spaces. */
type Columns<Row> = Record<string, (row: Row) => string | readonly string[] | null>;

function csvFile<Row>(columns: Columns<Row>, cell = csvField): ExportWriter<Row> {
  const fields = Object.values(columns);
  const toCell = (field: ReturnType<(typeof fields)[number]>) =>
    typeof field === 'string' ? cell(field) : (field?.join(' ') ?? '');
  return {
    ...CSV,
    header: csvRow(Object.keys(columns)),
    write: (row) => `${fields.map((read) => toCell(read(row))).join(',')}\r\n`,
  };
}

/**
 * A file that `POST /imports` reads.
 *
 * @param isForSpreadsheet - keeps a spreadsheet from running cells as formulas; only with `csv`
 */
function ownFile<Row>(
  format: (typeof PREFERENCE_FORMATS)[number],
  columns: Columns<Row>,
  isForSpreadsheet: boolean,
): ExportWriter<Row> {
  if (format === 'csv') {
    // The additional column tells an import to remove what `spreadsheetField` added.
    return isForSpreadsheet
      ? csvFile({ ...columns, spreadsheet: () => 'true' }, spreadsheetField)
      : csvFile(columns);
  }
  const fields = Object.entries(columns);
  const toJson = (row: Row) => Object.fromEntries(fields.map(([name, read]) => [name, read(row)]));
  return { ...NDJSON, header: '', write: (row) => `${JSON.stringify(toJson(row))}\n` };
}

const email = (record: ExportedSuppression): string => record.email;

const SUPPRESSION: Columns<ExportedSuppression> = {
  object: () => 'suppression',
  id: ({ id }) => id,
  email,
  origin: ({ cause }) => originOf(cause),
  source_id: sourceIdOf,
  created_at: ({ createdAt }) => createdAt,
  cause: ({ cause }) => cause,
  causes: ({ causes }) => causes,
  expires_at: ({ expiresAt }) => expiresAt,
  note: ({ note }) => note,
};

export const EXPORT_FORMAT_MEANINGS = {
  csv: 'the columns of this service, which `POST /imports` reads',
  ndjson: 'the same as one JSON object per line',
  ses: 'the file of an import job of Amazon SES',
  sendgrid: 'the upload of global unsubscribes',
  mailgun: 'the import of bounces, complaints, or unsubscribes; requires `cause`',
  postmark: 'the upload of suppressions',
  sha256: 'the SHA-256 hash of each address',
  md5: 'the MD5 hash of each address',
};

export type ExportFormat = keyof typeof EXPORT_FORMAT_MEANINGS;

export const EXPORT_FORMATS = Object.keys(EXPORT_FORMAT_MEANINGS) as ExportFormat[];

/** The lists of Mailgun; addresses suppressed by hand belong to none of them. */
export const MAILGUN_CAUSES = ['bounce', 'complaint', 'unsubscribe'] as const;

export const MAILGUN_PROBLEM = `must be one of ${MAILGUN_CAUSES.join(', ')} with format=mailgun`;

const mailgunDate = ({ createdAt }: ExportedSuppression): string => new Date(createdAt).toUTCString();

const MAILGUN: Record<(typeof MAILGUN_CAUSES)[number], Columns<ExportedSuppression>> = {
  bounce: { address: email, code: () => '550', error: ({ note }) => note, created_at: mailgunDate },
  complaint: { address: email, created_at: mailgunDate },
  unsubscribe: { address: email, tags: () => '*', created_at: mailgunDate },
};

interface WriterOptions {
  /** Keeps a spreadsheet from running cells as formulas. */
  isForSpreadsheet: boolean;
  /** Only for the format `mailgun`. */
  cause: Cause | undefined;
}

export function writerOf(format: ExportFormat, { isForSpreadsheet, cause }: WriterOptions): ExportWriter {
  switch (format) {
    case 'csv':
    case 'ndjson':
      return { ...ownFile(format, SUPPRESSION, isForSpreadsheet), needsNotes: true };
    case 'ses': {
      const reason = (record: ExportedSuppression) => (record.cause === 'bounce' ? 'BOUNCE' : 'COMPLAINT');
      return { ...csvFile({ email, reason }), header: '', needsAddresses: true };
    }
    case 'sendgrid':
      return { ...csvFile({ email }), needsAddresses: true };
    case 'mailgun':
      return {
        ...csvFile(MAILGUN[cause as keyof typeof MAILGUN]),
        needsAddresses: true,
        needsNotes: cause === 'bounce',
      };
    case 'postmark':
      return { ...csvFile({ EmailAddress: email }), needsAddresses: true };
    case 'sha256':
    case 'md5':
      return {
        ...TEXT,
        header: '',
        needsAddresses: true,
        write: (record) => `${createHash(format).update(record.email.toLowerCase()).digest('hex')}\n`,
      };
  }
}

export const PREFERENCE_FORMATS = ['csv', 'ndjson'] as const satisfies ExportFormat[];

/** Writes a preference with the key of its topic. */
export type PreferenceWriter = ExportWriter<ExportedPreference & { topic: string }>;

const PREFERENCE: Columns<ExportedPreference & { topic: string }> = {
  email: (preference) => preference.email,
  topic: ({ topic }) => topic,
  subscription: ({ subscription }) => subscription,
  created_at: ({ createdAt }) => createdAt,
};

export function preferenceWriterOf(
  format: (typeof PREFERENCE_FORMATS)[number],
  isForSpreadsheet: boolean,
): PreferenceWriter {
  return ownFile(format, PREFERENCE, isForSpreadsheet);
}
