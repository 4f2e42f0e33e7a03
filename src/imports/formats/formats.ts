import { CsvRows, type CsvRow } from '../../files/csv-rows.js';
import { EMAIL_COLUMNS, foldName, unquote } from '../../files/csv-text.js';
import { JsonItems, type JsonItem, type JsonShape } from '../../files/json-items.js';
import type { DateOptions } from '../dates.js';
import { BREVO } from './brevo.js';
import { CSV } from './csv.js';
import {
  matches,
  type FileNames,
  type Format,
  type Mapping,
  type Reading,
  type ReadOptions,
  type Refusal,
  type Row,
} from './format.js';
import { LISTMONK } from './listmonk.js';
import { MAILCHIMP } from './mailchimp.js';
import { MAILGUN } from './mailgun.js';
import { MAILJET } from './mailjet.js';
import { MANDRILL } from './mandrill.js';
import { OWN_EXPORTS } from './own-export.js';
import { POSTMARK } from './postmark.js';
import { RESEND } from './resend.js';
import { SENDGRID } from './sendgrid.js';
import { SES } from './ses.js';
import { SPARKPOST } from './sparkpost.js';

/** One address a line, with or without a header. */
const plain: Format = {
  name: 'plain',
  meaning: 'one address per line',
  columns: [],
  read: (row, { defaultCause: cause }) => ({
    email: unquote(row.get('email')),
    cause,
    createdAt: '',
    note: '',
  }),
};

const FILES: (Format | Refusal)[] = [
  ...SES,
  ...SENDGRID,
  ...MAILGUN,
  POSTMARK,
  SPARKPOST,
  BREVO,
  MAILJET,
  ...MANDRILL,
  ...MAILCHIMP,
  RESEND,
  LISTMONK,
  ...OWN_EXPORTS,
];

const PROVIDER_FORMATS = FILES.filter((file) => 'read' in file);
const REFUSALS = FILES.filter((file) => 'reason' in file);

const FORMATS = new Map([...PROVIDER_FORMATS, CSV, plain].map((format) => [format.name, format]));

export const FORMAT_NAMES = [...FORMATS.keys()];

/** @param name - one of {@link FORMAT_NAMES} */
export function getFormat(name: string): Format {
  return FORMATS.get(name)!;
}

/**
 * The formats that a file may have: those whose files have custom names first, because these may be any, and `csv` only if no
 * provider's fits.
 */
export function matchingFormats(file: FileNames): Format[] {
  const isMatch = ({ columns }: Format) => columns.some((variant) => matches(variant, file));
  const found = [customFormats(file), PROVIDER_FORMATS.filter(isMatch)].find(({ length }) => length > 0);
  return found ?? [CSV].filter(isMatch);
}

function customFormats(file: FileNames): Format[] {
  return PROVIDER_FORMATS.filter(({ columns }) =>
    columns.some((variant) => variant.hasCustomNames && matches(variant, file)),
  );
}

export function findRefusal(file: FileNames): Refusal | undefined {
  return customFormats(file).length > 0
    ? undefined
    : REFUSALS.find(({ columns }) => columns.some((variant) => matches(variant, file)));
}

export const FORMAT_MEANINGS = Object.fromEntries(
  [...FORMATS.values()].map(({ name, meaning }) => [name, meaning]),
);

/** How to read a file. The plan is stored with the import. */
export interface Plan extends Layout {
  dates: DateOptions;
}

/** The layout of a file, which its beginning determines. */
export interface Layout {
  format: string;
  mapping: Mapping | null;
  shape: CsvShape | { json: JsonShape };
}

interface CsvShape {
  /** A line break if a line is one address. */
  delimiter: string;
  hasHeader: boolean;
  /** The names of the columns, as `foldName` returns them. */
  columns: string[];
}

export interface NumberedReading {
  /** The line on which the entry begins, counted from 1. */
  line: number;
  reading: Reading;
}

type Read = (row: Row) => Reading;
/** Reads the next piece of a file; null marks its end. */
type ReadPiece = (piece: string | null) => NumberedReading[];

/**
 * Reads the entries of a file, in their order. The same file and plan always give the same entries, so that a job can
 * continue with the first entry that another instance did not reach.
 *
 * @param pieces - the text of the file, in pieces of any size
 * @throws {UnreadableFileError} where the file cannot be read any further
 */
export async function* readEntries(
  pieces: AsyncIterable<string>,
  { format, mapping, shape }: Layout,
  options: Omit<ReadOptions, 'mapping'>,
): AsyncGenerator<NumberedReading[]> {
  const named = getFormat(format);
  const readOptions = { ...options, mapping };
  const read: Read = (row) => {
    const reading = named.read(row, readOptions);
    if ('error' in reading) {
      return { ...reading, email: addressIn(row, mapping) };
    }
    return options.isForTopic && 'skip' in reading && reading.skip === 'one_group'
      ? readOptOut(row)
      : reading;
  };
  const readPiece = 'json' in shape ? jsonReader(shape.json, read) : csvReader(shape, read);
  for await (const piece of pieces) {
    yield readPiece(piece);
  }
  yield readPiece(null);
}

/** Reads an entry about one group or tag as an opt-out of the topic. */
function readOptOut(row: Row): Reading {
  const email = addressIn(row, null);
  return { email, cause: 'unsubscribe', createdAt: row.get('created') || row.get('createdat'), note: '' };
}

function addressIn(row: Row, mapping: Mapping | null): string {
  const columns = mapping && !mapping.isUsual ? [mapping.email] : EMAIL_COLUMNS;
  return columns.map((column) => row.get(column)).find((value) => value !== '') ?? '';
}

function csvReader({ delimiter, hasHeader, columns }: CsvShape, read: Read): ReadPiece {
  const rows = new CsvRows(delimiter, delimiter !== '\n');
  const indexes = new Map(columns.map((name) => [name, columns.indexOf(name)]));
  let isHeader = hasHeader;
  const isEntry = ({ fields }: CsvRow): boolean => {
    if (isHeader) {
      isHeader = fields.every((field) => field.trim() === '');
      return false;
    }
    return fields.length > 1 || fields[0]!.trim() !== '';
  };
  const isWhole = ({ fields, mayHideRows }: CsvRow) =>
    !mayHideRows &&
    fields.length >= columns.length &&
    fields.slice(columns.length).every((field) => field.trim() === '');
  const toReading = (row: CsvRow): NumberedReading => {
    const { line, fields, raw } = row;
    const reading = isWhole(row)
      ? read({
          get: (name) => fields[indexes.get(name) ?? -1]?.trim() ?? '',
          has: (name) => indexes.has(name),
        })
      : { error: 'malformed_row' as const, value: raw.trimEnd() };
    return { line, reading };
  };
  return (piece) => (piece === null ? rows.end() : rows.read(piece)).filter(isEntry).map(toReading);
}

function jsonReader(shape: JsonShape, read: Read): ReadPiece {
  const items = new JsonItems(shape);
  const toReading = ({ line, value }: JsonItem): NumberedReading => {
    if (typeof value === 'string') {
      return { line, reading: read(jsonRow({ email: value })) };
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { line, reading: { error: 'malformed_row', value: JSON.stringify(value) } };
    }
    return { line, reading: read(jsonRow(value)) };
  };
  return (piece) => (piece === null ? items.end() : items.read(piece)).map(toReading);
}

/** An object of a JSON document as the row of a format. Anything else has no values. */
export function jsonRow(value: unknown): Row {
  const object = typeof value === 'object' && value !== null ? value : {};
  const byName = new Map(Object.entries(object).map(([key, field]) => [foldName(key), field as unknown]));
  return { get: (name) => toText(byName.get(name)), has: (name) => byName.has(name) };
}

/** The text that a CSV would have; arrays and objects stay JSON. */
function toText(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}
