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

/** Marks the file, so that an import removes what {@link spreadsheetField} added. */
const SPREADSHEET_COLUMN = 'spreadsheet';

/** The fields of a row by their names, in the order of the columns. */
type Fields = Record<string, string | readonly string[] | null>;

/**
 * A file that `POST /imports` reads.
 *
 * @param isForSpreadsheet - keeps a spreadsheet from running cells as formulas; only with `csv`
 */
function ownFile<Row>(
  format: (typeof PREFERENCE_FORMATS)[number],
  columns: string[],
  toFields: (row: Row) => Fields,
  isForSpreadsheet: boolean,
): ExportWriter<Row> {
  if (format === 'ndjson') {
    return { ...NDJSON, header: '', write: (row) => `${JSON.stringify(toFields(row))}\n` };
  }
  const [cell, end] = isForSpreadsheet ? [spreadsheetField, ',true'] : [csvField, ''];
  const toCell = (field: Fields[string]) =>
    typeof field === 'string' ? cell(field) : (field?.join(' ') ?? '');
  return {
    ...CSV,
    header: csvRow(isForSpreadsheet ? [...columns, SPREADSHEET_COLUMN] : columns),
    write: (row) => `${Object.values(toFields(row)).map(toCell).join(',')}${end}\r\n`,
  };
}

function csvFile(columns: string[], toFields: (record: ExportedSuppression) => string[]): ExportWriter {
  return { ...CSV, header: csvRow(columns), write: (row) => csvRow(toFields(row)) };
}

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

function suppressionFields(record: ExportedSuppression): Fields {
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

interface WriterOptions {
  /** Keeps a spreadsheet from running cells as formulas. */
  isForSpreadsheet: boolean;
  /** Only for the format `mailgun`. */
  cause: Cause | undefined;
}

export function writerOf(format: ExportFormat, options: WriterOptions): ExportWriter {
  const writer = createWriter(format, options);
  return format === 'csv' || format === 'ndjson' ? writer : { ...writer, needsAddresses: true };
}

function createWriter(format: ExportFormat, { isForSpreadsheet, cause }: WriterOptions): ExportWriter {
  switch (format) {
    case 'csv':
    case 'ndjson':
      return { ...ownFile(format, COLUMNS, suppressionFields, isForSpreadsheet), needsNotes: true };
    case 'ses':
      return {
        ...CSV,
        header: '',
        write: ({ email, cause: reason }) => csvRow([email, reason === 'bounce' ? 'BOUNCE' : 'COMPLAINT']),
      };
    case 'sendgrid':
      return csvFile(['email'], ({ email }) => [email]);
    case 'mailgun':
      return mailgunWriter(cause!);
    case 'postmark':
      return csvFile(['EmailAddress'], ({ email }) => [email]);
    case 'sha256':
    case 'md5':
      return {
        ...TEXT,
        header: '',
        write: ({ email }) => `${createHash(format).update(email.toLowerCase()).digest('hex')}\n`,
      };
  }
}

function mailgunWriter(cause: Cause): ExportWriter {
  const date = ({ createdAt }: ExportedSuppression) => new Date(createdAt).toUTCString();
  switch (cause) {
    case 'bounce': {
      const columns = ['address', 'code', 'error', 'created_at'];
      const toFields = (record: ExportedSuppression) => [
        record.email,
        '550',
        record.note ?? '',
        date(record),
      ];
      return { ...csvFile(columns, toFields), needsNotes: true };
    }
    case 'complaint':
      return csvFile(['address', 'created_at'], (record) => [record.email, date(record)]);
    default:
      return csvFile(['address', 'tags', 'created_at'], (record) => [record.email, '*', date(record)]);
  }
}

export const PREFERENCE_FORMATS = ['csv', 'ndjson'] as const satisfies ExportFormat[];

/** Writes a preference with the key of its topic. */
export type PreferenceWriter = ExportWriter<ExportedPreference & { topic: string }>;

const PREFERENCE_COLUMNS = ['email', 'topic', 'subscription', 'created_at'];

export function preferenceWriterOf(
  format: (typeof PREFERENCE_FORMATS)[number],
  isForSpreadsheet: boolean,
): PreferenceWriter {
  return ownFile(format, PREFERENCE_COLUMNS, preferenceFields, isForSpreadsheet);
}

function preferenceFields({
  email,
  topic,
  subscription,
  createdAt,
}: ExportedPreference & { topic: string }): Fields {
  return { email, topic, subscription, created_at: createdAt };
}
