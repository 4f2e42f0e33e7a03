import { EMAIL_COLUMNS, foldName } from '../../files/columns.js';
import { unquote } from '../../files/csv-text.js';
import type { Cause } from '../../ledger/cause.js';
import type { Format, Mapping, Reading, Row } from './format.js';

const CAUSE_COLUMNS = ['cause', 'origin', 'reason', 'type'];
const DATE_COLUMNS = ['createdat', 'date'];

/** What people call a cause, in the form of `foldName`. */
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
export const csv: Format = {
  name: 'csv',
  columns: EMAIL_COLUMNS.map((email) => ({ has: [email], may: [...CAUSE_COLUMNS, ...DATE_COLUMNS] })),
  read: (row, { mapping, defaultCause }) => readMapped(row, mapping!, defaultCause),
};

/** One address a line, with or without a header. */
export const plain: Format = {
  name: 'plain',
  columns: [],
  read: (row, { defaultCause }) => ({
    email: unquote(row.get('email')),
    cause: defaultCause,
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
