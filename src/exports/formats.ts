import { createHash } from 'node:crypto';
import { csvField, csvRow, SPREADSHEET_START, spreadsheetField } from '../files/csv-text.js';
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

function csvFile(columns: Record<string, (record: ExportedSuppression) => string>): ExportWriter {
  const fields = Object.values(columns);
  return {
    ...CSV,
    header: csvRow(Object.keys(columns)),
    write: (record) => csvRow(fields.map((read) => read(record))),
  };
}

/** A file that `POST /imports` reads. Each row is one expression, because calling a function for each field takes longer. */
interface OwnFile<Row> {
  columns: string[];
  toJson(row: Row): object;
  /** @param cell - writes a field that may need quotation marks */
  toCsv(row: Row, cell: (text: string) => string): string;
}

/** @param isForSpreadsheet - lets Excel read the encoding, and keeps it from running cells as formulas; only with `csv` */
function ownFile<Row>(
  format: (typeof PREFERENCE_FORMATS)[number],
  { columns, toJson, toCsv }: OwnFile<Row>,
  isForSpreadsheet: boolean,
): ExportWriter<Row> {
  if (format === 'ndjson') {
    return { ...NDJSON, header: '', write: (row) => `${JSON.stringify(toJson(row))}\n` };
  }
  // The additional column tells an import to remove what `spreadsheetField` added.
  return isForSpreadsheet
    ? {
        ...CSV,
        header: SPREADSHEET_START + csvRow([...columns, 'spreadsheet']),
        write: (row) => `${toCsv(row, spreadsheetField)},true\r\n`,
      }
    : { ...CSV, header: csvRow(columns), write: (row) => `${toCsv(row, csvField)}\r\n` };
}

const SUPPRESSION: OwnFile<ExportedSuppression> = {
  columns: [
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
  ],
  toJson(record) {
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
  },
  toCsv(record, cell) {
    const { id, email, cause, causes, createdAt, expiresAt, note } = record;
    return (
      `suppression,${id},${cell(email)},${originOf(cause)},${sourceIdOf(record) ?? ''},${createdAt},` +
      `${cause},${causes.join(' ')},${expiresAt ?? ''},${note === null ? '' : cell(note)}`
    );
  },
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

const emailOf = ({ email }: ExportedSuppression): string => email;

const mailgunDate = ({ createdAt }: ExportedSuppression): string => new Date(createdAt).toUTCString();

const MAILGUN = {
  bounce: {
    address: emailOf,
    code: () => '550',
    error: ({ note }: ExportedSuppression) => note ?? '',
    created_at: mailgunDate,
  },
  complaint: { address: emailOf, created_at: mailgunDate },
  unsubscribe: { address: emailOf, tags: () => '*', created_at: mailgunDate },
};

interface WriterOptions {
  /** See {@link ownFile}. */
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
      return { ...csvFile({ email: emailOf, reason }), header: '', needsAddresses: true };
    }
    case 'sendgrid':
      return { ...csvFile({ email: emailOf }), needsAddresses: true };
    case 'mailgun':
      return {
        ...csvFile(MAILGUN[cause as keyof typeof MAILGUN]),
        needsAddresses: true,
        needsNotes: cause === 'bounce',
      };
    case 'postmark':
      return { ...csvFile({ EmailAddress: emailOf }), needsAddresses: true };
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

const PREFERENCE: OwnFile<ExportedPreference & { topic: string }> = {
  columns: ['email', 'topic', 'subscription', 'created_at'],
  toJson: ({ email, topic, subscription, createdAt }) => ({
    email,
    topic,
    subscription,
    created_at: createdAt,
  }),
  toCsv: ({ email, topic, subscription, createdAt }, cell) =>
    `${cell(email)},${cell(topic)},${subscription},${createdAt}`,
};

export function preferenceWriterOf(
  format: (typeof PREFERENCE_FORMATS)[number],
  isForSpreadsheet: boolean,
): PreferenceWriter {
  return ownFile(format, PREFERENCE, isForSpreadsheet);
}
