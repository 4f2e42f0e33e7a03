import { EMAIL_COLUMNS, foldName, unquote } from '../../files/csv-text.js';
import type { Cause } from '../../ledger/cause.js';
import { BREVO } from './brevo.js';
import {
  matches,
  type FileNames,
  type Format,
  type Mapping,
  type Reading,
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

const CAUSE_COLUMNS = ['cause', 'origin', 'reason', 'type'];
const DATE_COLUMNS = ['createdat', 'date'];

/** Common names of causes, in the form of `foldName`. */
const CAUSES = new Map<string, Cause>(
  Object.entries({
    bounce: 'bounce',
    bounced: 'bounce',
    hardbounce: 'bounce',
    invalid: 'bounce',
    invalidemail: 'bounce',
    complaint: 'complaint',
    spam: 'complaint',
    spamcomplaint: 'complaint',
    spamreport: 'complaint',
    abuse: 'complaint',
    unsubscribe: 'unsubscribe',
    unsubscribed: 'unsubscribe',
    unsub: 'unsubscribe',
    optout: 'unsubscribe',
    manual: 'manual',
    manualsuppression: 'manual',
    custom: 'manual',
  } satisfies Record<string, Cause>),
);
const SOFT_BOUNCES = ['softbounce', 'block', 'blocked', 'transient'];

/** Finds the columns by their usual names. Returns null if there is no column of addresses. */
export function usualMapping(names: ReadonlySet<string>): Mapping | null {
  const find = (columns: string[]) => columns.find((column) => names.has(column)) ?? null;
  const email = find(EMAIL_COLUMNS);
  return email === null ? null : { email, cause: find(CAUSE_COLUMNS), createdAt: find(DATE_COLUMNS) };
}

/** A file with other columns may be a list of subscribers, so its format must be named. */
const csv: Format = {
  name: 'csv',
  meaning: 'any other CSV with a column of addresses',
  columns: EMAIL_COLUMNS.map((email) => ({ has: [email], may: [...CAUSE_COLUMNS, ...DATE_COLUMNS] })),
  read: (row, { mapping, defaultCause }) => readMapped(row, mapping!, defaultCause),
};

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

function readMapped(row: Row, mapping: Mapping, defaultCause: Cause): Reading {
  const named = mapping.cause === null ? '' : row.get(mapping.cause);
  const word = CAUSES.has(named) ? named : foldName(named);
  if (SOFT_BOUNCES.includes(word)) {
    return { skip: 'soft_bounce' };
  }
  const cause = word === '' ? defaultCause : CAUSES.get(word);
  const createdAt = mapping.createdAt === null ? '' : row.get(mapping.createdAt);
  return cause
    ? { email: row.get(mapping.email), cause, createdAt, note: '' }
    : { error: 'unknown_cause', value: named };
}

export function isEmailColumn(name: string): boolean {
  return EMAIL_COLUMNS.includes(foldName(name));
}

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

const FORMATS = new Map([...PROVIDER_FORMATS, csv, plain].map((format) => [format.name, format]));

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
  return found ?? [csv].filter(isMatch);
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
