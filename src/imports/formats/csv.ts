import { EMAIL_COLUMNS, foldName } from '../../files/csv-text.js';
import type { Cause } from '../../ledger/cause.js';
import { UnknownFileError } from '../errors.js';
import {
  readEntry,
  type Format,
  type Hints,
  type Mapping,
  type NameKind,
  type Reading,
  type Row,
  type Skipped,
} from './format.js';

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
/** Not `blocked`, which may also mean that somebody must not be mailed. */
const SOFT_BOUNCES = ['softbounce', 'transient'];

const MAX_SHOWN = 500;

/** A file with other columns may be a list of subscribers, so its format must be named. */
export const CSV: Format = {
  name: 'csv',
  meaning: 'any other CSV or JSON with a column of addresses',
  columns: EMAIL_COLUMNS.map((email) => ({ has: [email], may: [...CAUSE_COLUMNS, ...DATE_COLUMNS] })),
  read: (row, { mapping, defaultCause }) => readMapped(row, namesIn(row, mapping!), defaultCause),
};

/** Entries of JSON need not have the same keys, so each is read by its own. */
function namesIn(row: Row, mapping: Mapping): Mapping {
  return mapping.isUsual ? { ...mapping, ...usualMapping((name) => row.has(name)) } : mapping;
}

function readMapped(row: Row, mapping: Mapping, defaultCause: Cause): Reading {
  const named = mapping.cause === null ? '' : row.get(mapping.cause);
  const cause = commonCause(named) ?? (foldName(named) === '' ? defaultCause : null);
  return readEntry(row, cause ?? { error: 'unknown_cause', value: named }, {
    email: mapping.email,
    createdAt: mapping.createdAt === null ? [] : [mapping.createdAt],
  });
}

/** What a common name of a cause means; undefined if the name is not one. */
export function commonCause(name: string): Cause | Skipped | undefined {
  const word = CAUSES.has(name) ? name : foldName(name);
  return SOFT_BOUNCES.includes(word) ? { skip: 'soft_bounce' } : CAUSES.get(word);
}

export function isEmailColumn(name: string): boolean {
  return EMAIL_COLUMNS.includes(foldName(name));
}

/** Finds the columns by their usual names. Returns null if there is no column of addresses. */
function usualMapping(has: (name: string) => boolean): Mapping | null {
  const find = (columns: string[]) => columns.find(has) ?? null;
  const email = find(EMAIL_COLUMNS);
  return email === null ? null : { email, cause: find(CAUSE_COLUMNS), createdAt: find(DATE_COLUMNS) };
}

/** @param header - the names of the columns, or of the keys of the first entries */
export function mappingOf(header: string[], { mapping }: Hints, noun: NameKind): Mapping {
  const columns = header.map(foldName);
  const chosen = mapping
    ? namedMapping(mapping, header, noun)
    : usualMapping((name) => columns.includes(name));
  if (!chosen) {
    throw UnknownFileError.ofHint(
      'format',
      `is csv, but none of the ${noun} has the usual name of an address: ${shorten(header)}`,
    );
  }
  const addresses = header.filter((name) => isEmailColumn(name));
  if (!mapping && new Set(addresses.map(foldName)).size > 1) {
    throw new UnknownFileError(
      `Several of the ${noun} may have the addresses: ${shorten(addresses)}.`,
      `Name one with ?mapping=email=${addresses[0]}.`,
      'mapping',
    );
  }
  for (const name of [chosen.email, chosen.cause, chosen.createdAt]) {
    const same = header.filter((_, index) => columns[index] === name);
    if (same.length > 1) {
      throw new UnknownFileError(
        `Several of the ${noun} have the same name: ${shorten(same)}. Rename all but one of them.`,
        null,
      );
    }
  }
  return mapping || noun === 'columns' ? chosen : { ...chosen, isUsual: true };
}

function namedMapping(mapping: NonNullable<Hints['mapping']>, header: string[], noun: NameKind): Mapping {
  const names = header.map(foldName);
  const find = (column: string | undefined): string | null => {
    if (column !== undefined && !names.includes(foldName(column))) {
      throw UnknownFileError.ofHint('mapping', `names ${column}, but the ${noun} are: ${shorten(header)}`);
    }
    return column === undefined ? null : foldName(column);
  };
  return { email: find(mapping.email)!, cause: find(mapping.cause), createdAt: find(mapping.created_at) };
}

export function shorten(header: string[]): string {
  return header.join(', ').slice(0, MAX_SHOWN);
}
