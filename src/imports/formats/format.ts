import type { Cause } from '../../ledger/cause.js';

/** One entry of a file: a row of a CSV, or an object of a JSON document. */
export interface Row {
  /**
   * The value of a column or key, without white space around it; empty if the row lacks it.
   *
   * @param name - in the form of {@link foldName}
   */
  get(name: string): string;
  /** Whether the row has a column or key, even if its value is empty. */
  has(name: string): boolean;
}

/** Why an entry does not become a suppression, although it could be read. */
export const SKIP_REASONS = [
  'block',
  'soft_bounce',
  'expired',
  'one_group',
  'one_sender',
  'not_suppressed',
  'removed_since',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

export type RowError =
  'invalid_email' | 'unknown_cause' | 'invalid_date' | 'ambiguous_date' | 'malformed_row';

/** What an entry means: an address to suppress, an entry to leave out, or a mistake in the file. */
export type Reading = Entry | Skipped | Mistake;

export interface Entry {
  /** The address exactly as in the file. */
  email: string;
  cause: Cause;
  /** The date exactly as in the file; empty if the file has no date. */
  createdAt: string;
  /** The provider's remark on the entry, for the ledger. */
  note: string;
  /** The other causes. Only our own exports have them. */
  weakerCauses?: Cause[];
  /** The email that triggered the suppression. Only our own exports and Resend have it. */
  emailId?: string;
  /** When it ends; absent if never. Only our own exports have it. */
  expiresAt?: Date;
}

export interface Skipped {
  skip: SkipReason;
}

export interface Mistake {
  error: RowError;
  value: string;
  /** The address of the entry, if that is not the mistake. */
  email?: string;
}

/** The columns of another system's CSV, named by the caller or recognized by their usual names. Null if the file has none. */
export interface Mapping {
  email: string;
  cause: string | null;
  createdAt: string | null;
  /** Whether these are the usual names in the first entries of JSON. Others may have other usual names. */
  isUsual?: true;
}

/** What the caller specifies about a file. */
export interface Hints {
  format?: string;
  /** Column names exactly as in the file, by field. */
  mapping?: { email: string; cause?: string; created_at?: string };
  filename?: string;
}

export interface ReadOptions {
  /** Whether the entries are opt-outs of one topic, so that entries about a single group or tag count. */
  isForTopic: boolean;
  /** The cause of entries that name none. */
  defaultCause: Cause;
  now: Date;
  /** Only for the format `csv`. */
  mapping: Mapping | null;
}

/** The kind of names in a file: the columns of a CSV, or the keys of JSON. */
export type NameKind = 'columns' | 'keys';

/** Describes the files of a format by the columns or keys that they have and lack. */
export interface Columns {
  /** By default, both. */
  kind?: NameKind;
  /** The required names, as {@link foldName} returns them. */
  has: readonly string[];
  lacks?: readonly string[];
  /** The other columns that the file may have, unless the caller names the format; by default, any. */
  may?: readonly string[];
  /** Files with these columns have this format only if the caller names it. */
  mustBeNamed?: true;
  /** The other columns have names that users chose, which may be those of another format. */
  hasCustomNames?: true;
}

export interface FileNames {
  kind: NameKind;
  /** The names, as {@link foldName} returns them. */
  names: ReadonlySet<string>;
}

export interface Format {
  /** The value of the parameter `format`. */
  name: string;
  /** What its files are, for the documentation. */
  meaning: string;
  columns: readonly Columns[];
  /** Decides if several formats have the same columns. */
  filename?: RegExp;
  read(row: Row, options: ReadOptions): Reading;
}

/** A file that looks like a list of suppressions but must not be imported. */
export interface Refusal {
  columns: readonly Columns[];
  reason: string;
}

/** Whether a file can be read in a format that the caller names. */
export function fits({ kind, has, lacks = [] }: Columns, file: FileNames): boolean {
  return (
    (kind === undefined || kind === file.kind) &&
    has.every((name) => file.names.has(name)) &&
    !lacks.some((name) => file.names.has(name))
  );
}

/** Whether a file is recognized by its columns or keys alone. */
export function matches(columns: Columns, file: FileNames): boolean {
  const { has, may, mustBeNamed = false } = columns;
  return (
    fits(columns, file) &&
    !mustBeNamed &&
    (!may || [...file.names].every((name) => has.includes(name) || may.includes(name)))
  );
}

/** The causes, keyed by the provider's name for them, in lower case. */
export type CauseNames = Readonly<Record<string, Cause>>;

/** @param value - the name of the cause in a file, in any letter case */
export function causeNamed(causes: CauseNames, value: string): Cause | Mistake {
  const name = value.toLowerCase();
  return Object.hasOwn(causes, name) ? causes[name]! : { error: 'unknown_cause', value };
}

interface EntryColumns {
  /** The column of the address; by default, `email`. */
  email?: string;
  /** The columns of the date. The first nonempty one counts. */
  createdAt?: readonly string[];
}

/** Makes the entry of a row, unless the row is skipped or has a mistake. */
export function readEntry(
  row: Row,
  cause: Cause | Skipped | Mistake,
  { email = 'email', createdAt = [], ...rest }: EntryColumns & Partial<Pick<Entry, 'note' | 'emailId'>>,
): Reading {
  return typeof cause === 'object'
    ? cause
    : {
        email: row.get(email),
        cause,
        createdAt: createdAt.map((name) => row.get(name)).find((date) => date !== '') ?? '',
        note: '',
        ...rest,
      };
}

const TRUE = new Set(['true', '1', 'yes', 'y']);

/** Whether a value means true, such as `true`, `TRUE`, `1`, or `Yes`. */
export function isTrue(value: string): boolean {
  return TRUE.has(value.toLowerCase());
}

/** Reads a property of an object that a row contains as JSON. A text that is not JSON is itself the value. */
export function property(value: string, name: string): string {
  if (!value.startsWith('{')) {
    return value;
  }
  try {
    const object = JSON.parse(value) as Record<string, unknown>;
    return typeof object[name] === 'string' ? object[name] : '';
  } catch {
    return value;
  }
}
