import { createHash } from 'node:crypto';
import { csvField, csvRow, spreadsheetField } from '../files/csv-text.js';
import { originOf, sourceIdOf, type Cause } from '../ledger/cause.js';
import type { ExportedSuppression } from './export-pages.repository.js';

export const CSV = { contentType: 'text/csv; charset=utf-8', extension: 'csv' };
export const NDJSON = { contentType: 'application/x-ndjson; charset=utf-8', extension: 'ndjson' };
const TEXT = { contentType: 'text/plain; charset=utf-8', extension: 'txt' };

export interface ExportWriter<Row = ExportedSuppression> {
  contentType: string;
  extension: string;
  header: string;
  needsNotes?: boolean;
  /** Whether the file is of use only with addresses, so that erased ones are left out. */
  needsAddresses?: boolean;
  write(row: Row): string;
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

/** Marks the file, so that an import removes what {@link spreadsheetField} added. */
export const SPREADSHEET_COLUMN = 'spreadsheet';

const NDJSON_WRITER: ExportWriter = {
  ...NDJSON,
  header: '',
  needsNotes: true,
  write: (record) => `${JSON.stringify(toJson(record))}\n`,
};

/** @param isForSpreadsheet - keeps a spreadsheet from running cells as formulas */
function csvWriter(isForSpreadsheet: boolean): ExportWriter {
  const [cell, end] = isForSpreadsheet ? [spreadsheetField, ',true'] : [csvField, ''];
  return {
    ...CSV,
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

export const EXPORT_FORMATS = [
  'csv',
  'ndjson',
  'ses',
  'sendgrid',
  'mailgun',
  'postmark',
  'sha256',
  'md5',
] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_FORMAT_MEANINGS: Readonly<Record<ExportFormat, string>> = {
  csv: 'the columns of this service, which `POST /imports` reads',
  ndjson: 'the same as one JSON object per line',
  ses: 'the file of an import job of Amazon SES',
  sendgrid: 'the upload of global unsubscribes',
  mailgun: 'the import of bounces, complaints, or unsubscribes; requires `cause`',
  postmark: 'the upload of suppressions',
  sha256: 'the SHA-256 hash of each address',
  md5: 'the MD5 hash of each address',
};

/** The lists of Mailgun; addresses suppressed by hand belong to none of them. */
export const MAILGUN_CAUSES = ['bounce', 'complaint', 'unsubscribe'] as const;

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
      return csvWriter(isForSpreadsheet);
    case 'ndjson':
      return NDJSON_WRITER;
    case 'ses':
      return {
        ...CSV,
        header: '',
        write: ({ email, cause: reason }) => csvRow([email, reason === 'bounce' ? 'BOUNCE' : 'COMPLAINT']),
      };
    case 'sendgrid':
      return { ...CSV, header: csvRow(['email']), write: ({ email }) => csvRow([email]) };
    case 'mailgun':
      return mailgunWriter(cause!);
    case 'postmark':
      return { ...CSV, header: csvRow(['EmailAddress']), write: ({ email }) => csvRow([email]) };
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
    case 'bounce':
      return {
        ...CSV,
        header: csvRow(['address', 'code', 'error', 'created_at']),
        needsNotes: true,
        write: (record) => csvRow([record.email, '550', record.note ?? '', date(record)]),
      };
    case 'complaint':
      return {
        ...CSV,
        header: csvRow(['address', 'created_at']),
        write: (record) => csvRow([record.email, date(record)]),
      };
    default:
      return {
        ...CSV,
        header: csvRow(['address', 'tags', 'created_at']),
        write: (record) => csvRow([record.email, '*', date(record)]),
      };
  }
}
