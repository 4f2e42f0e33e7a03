import type { Cause } from '../../ledger/cause.js';

/** One entry of a file: a row of a CSV, or an object of a JSON document. */
export interface Row {
  /**
   * The value of a column or key, without white space around it; empty if the row lacks it.
   *
   * @param name - in the form of {@link foldName}
   */
  get(name: string): string;
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

export const ROW_ERRORS = [
  'invalid_email',
  'unknown_cause',
  'invalid_date',
  'ambiguous_date',
  'malformed_row',
] as const;

export type RowError = (typeof ROW_ERRORS)[number];

/** What an entry means: an address to suppress, an entry to leave out, or a mistake in the file. */
export type Reading = Entry | Skipped | Mistake;

export interface Entry {
  /** As it stands in the file. */
  email: string;
  cause: Cause;
  /** As it stands in the file; empty if the file has no date. */
  createdAt: string;
  /** What the provider said about it, for the ledger. */
  note: string;
  /** The other causes: only our own exports have them. */
  weakerCauses?: Cause[];
  /** The email that triggered the suppression: only our own exports and Resend have it. */
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
}

export interface ReadOptions {
  /** Whether the entries are opt-outs of one topic, so that those of one group or tag count. */
  isForTopic: boolean;
  /** The cause of entries that name none. */
  defaultCause: Cause;
  now: Date;
  /** Only for the format `csv`. */
  mapping: Mapping | null;
}

/** What the names of a file are: the columns of a CSV, or the keys of JSON. */
export type NameKind = 'columns' | 'keys';

/** Describes the files of a format: they have all of some columns or keys, and none of others. */
export interface Columns {
  /** Both if this is left out. */
  kind?: NameKind;
  /** In the form of {@link foldName}. */
  has: readonly string[];
  lacks?: readonly string[];
  /** The other columns that the file may have; any if this is left out. */
  may?: readonly string[];
  /** The other columns have names that users chose, which may be those of another format. */
  hasCustomNames?: true;
}

export interface FileNames {
  kind: NameKind;
  /** In the form of {@link foldName}. */
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

export function matches({ kind, has, lacks = [], may }: Columns, file: FileNames): boolean {
  const { names } = file;
  return (
    (kind === undefined || kind === file.kind) &&
    has.every((name) => names.has(name)) &&
    !lacks.some((name) => names.has(name)) &&
    (!may || [...names].every((name) => has.includes(name) || may.includes(name)))
  );
}

/** What a provider calls the causes. */
export type CauseNames = Readonly<Record<string, Cause>>;

/**
 * @param name - as the table has it
 * @param value - the name as it stands in the file
 */
export function causeNamed(causes: CauseNames, name: string, value = name): Cause | Mistake {
  return Object.hasOwn(causes, name) ? causes[name]! : { error: 'unknown_cause', value };
}

interface EntryColumns {
  /** The column of the address; `email` if it is left out. */
  email?: string;
  /** The columns of the date. The first one that is not empty counts. */
  createdAt?: readonly string[];
}

/** Makes the entry of a row, unless there is a reason against it. */
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

/** Files write true as `true`, `TRUE`, `1` or `Yes`. */
export function isTrue(value: string): boolean {
  return TRUE.has(value.toLowerCase());
}

/** A property of an object that a row has as JSON. A text that is no JSON is the value itself. */
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
