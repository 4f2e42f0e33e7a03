import { InvalidEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { parseMailbox } from '../email-address/mailbox.js';
import type { JobStatus } from '../jobs/job.entity.js';
import { canExpire, isStronger } from '../ledger/cause.js';
import { MAX_NOTE_LENGTH, type ChangeActor } from '../ledger/evidence.js';
import type { Addition } from '../suppressions/additions/additions.repository.js';
import { isId, storableText } from '../validation/parsers.js';
import { needsDateFormat, parsePastPeriod, type DateOptions } from './dates.js';
import type { Entry, Mistake, RowError, SkipReason } from './formats/format.js';
import type { NumberedReading } from './formats/formats.js';

const MAX_VALUE_LENGTH = 320;

export interface InvalidEntry {
  /** Counted from 1 within the chunk. */
  row: number;
  line: number;
  code: RowError;
  value: string;
  /** The address that `value` quotes; null if the mistake is the address. */
  email: EmailAddress | null;
}

export interface ReportedCause extends Addition {
  /** The entry, counted from 1 within the chunk. */
  row: number;
  /** The latest time at which it may have happened. */
  latestAt: Date;
}

/** Some entries of a file, ready to be applied. */
export interface Chunk {
  /** The causes of each address, strongest first; entries with the same cause are sorted from the oldest. */
  addresses: ReportedCause[][];
  invalid: InvalidEntry[];
  counts: ReadCounts;
}

/** The known facts about the dates of all entries of a file. */
export interface FileDates extends DateOptions {
  now: Date;
  /** When the file was first uploaded. Entries without a date happened before that. */
  knownSince: Date;
}

export function readChunk(readings: NumberedReading[], dates: FileDates): Chunk {
  const byEmail = new Map<EmailAddress, ReportedCause[]>();
  const invalid: InvalidEntry[] = [];
  const skipped: ReadCounts['skipped'] = {};
  const errors: ReadCounts['errors'] = {};
  readings.forEach(({ line, reading }, index) => {
    const row = index + 1;
    if ('skip' in reading) {
      skipped[reading.skip] = (skipped[reading.skip] ?? 0) + 1;
      return;
    }
    const causes = 'error' in reading ? reading : toCauses(reading, row, dates);
    if ('error' in causes) {
      const code = causes.error;
      invalid.push({ row, line, code, value: valueOf(causes), email: emailOf(causes) });
      errors[code] ??= { rows: 0, firstLine: line };
      errors[code].rows++;
      return;
    }
    const { email } = causes[0]!;
    const others = byEmail.get(email);
    byEmail.set(email, others ? [...others, ...causes].sort(strongestAndOldestFirst) : causes);
  });
  const counts = { rows: readings.length, skipped, invalid: invalid.length, errors };
  return { addresses: [...byEmail.values()], invalid, counts };
}

function toCauses(entry: Entry, row: number, dates: FileDates): ReportedCause[] | Mistake {
  const email = parseMailbox(entry.email);
  if (email instanceof InvalidEmailAddress) {
    return { error: 'invalid_email', value: entry.email };
  }
  const { createdAt } = entry;
  const period = createdAt === '' ? null : parsePastPeriod(createdAt, dates.now, dates);
  if (createdAt !== '' && !period) {
    const isAmbiguous = dates.format === null && needsDateFormat(createdAt);
    const error = isAmbiguous ? 'ambiguous_date' : 'invalid_date';
    return { error, value: createdAt, email: entry.email };
  }
  const { cause: strongest, weakerCauses = [], expiresAt = null, emailId = '', note } = entry;
  return [strongest, ...weakerCauses].map((cause) => ({
    email,
    cause,
    emailId: cause === strongest && cause !== 'manual' && isId(emailId) ? emailId : null,
    occurredAt: period?.earliest ?? null,
    eventId: null,
    note: note === '' ? null : storableText(note, MAX_NOTE_LENGTH),
    expiresAt: canExpire(cause) ? expiresAt : null,
    row,
    latestAt: period?.latest ?? dates.knownSince,
  }));
}

function strongestAndOldestFirst(one: ReportedCause, other: ReportedCause): number {
  if (one.cause !== other.cause) {
    return isStronger(one.cause, other.cause) ? -1 : 1;
  }
  return (one.occurredAt?.getTime() ?? Infinity) < (other.occurredAt?.getTime() ?? Infinity) ? -1 : 1;
}

/** The value that cannot be read, with the address, so that a person can find the entry. */
function valueOf({ value, email = '' }: Mistake): string {
  const text = storableText(value, MAX_VALUE_LENGTH);
  return email === '' ? text : `${text} (${storableText(email, MAX_VALUE_LENGTH)})`.trimStart();
}

function emailOf({ email = '' }: Mistake): EmailAddress | null {
  const parsed = parseMailbox(email);
  return parsed instanceof InvalidEmailAddress ? null : parsed;
}

/** The progress of the revert of an import. */
export interface RevertProgress {
  by: ChangeActor;
  reverted: number;
  /** When the import ended, in ISO 8601. */
  endedAt: string;
  /** The last ledger line that was read. */
  position?: string;
}

/** The number of rows with an error, and the first line that has it. */
export interface ErrorCount {
  rows: number;
  firstLine: number;
}

export type ErrorCounts = Partial<Record<RowError, ErrorCount>>;

/** What an import has done so far: its checkpoint. `rows` is the sum of all others. */
export interface ImportProgress {
  rows: number;
  added: number;
  strengthened: number;
  unchanged: number;
  skipped: Partial<Record<SkipReason, number>>;
  invalid: number;
  /** Their rows add up to `invalid`. Absent in imports from before errors were counted. */
  errors?: ErrorCounts;
  revert?: RevertProgress;
}

export type ReadCounts = Pick<ImportProgress, 'rows' | 'skipped' | 'invalid'> & { errors: ErrorCounts };

/** The numbers of addresses that a chunk changed, and of its rows that were older than a removal. */
export interface ChunkResult {
  added: number;
  strengthened: number;
  removedSince: number;
}

export const NO_PROGRESS: ImportProgress = {
  rows: 0,
  added: 0,
  strengthened: 0,
  unchanged: 0,
  skipped: {},
  invalid: 0,
};

/**
 * @param read - the counts of the chunk
 * @returns the progress after the chunk; rows that were neither invalid nor skipped, and changed nothing, are unchanged
 */
export function addChunk(
  before: ImportProgress,
  read: ReadCounts,
  { added, strengthened, removedSince }: ChunkResult,
): ImportProgress {
  const skipped = { ...before.skipped };
  const reasons = { ...read.skipped, ...(removedSince > 0 && { removed_since: removedSince }) };
  let unchanged = read.rows - read.invalid - added - strengthened;
  for (const [reason, count] of Object.entries(reasons) as [SkipReason, number][]) {
    skipped[reason] = (skipped[reason] ?? 0) + count;
    unchanged -= count;
  }
  return {
    rows: before.rows + read.rows,
    added: before.added + added,
    strengthened: before.strengthened + strengthened,
    unchanged: before.unchanged + unchanged,
    skipped,
    invalid: before.invalid + read.invalid,
    errors: addErrors(before.errors ?? {}, read.errors),
  };
}

function addErrors(before: ErrorCounts, read: ErrorCounts): ErrorCounts {
  const errors = { ...before };
  for (const [code, { rows, firstLine }] of Object.entries(read) as [RowError, ErrorCount][]) {
    const known = errors[code];
    errors[code] = known ? { ...known, rows: known.rows + rows } : { rows, firstLine };
  }
  return errors;
}

/** The number of addresses that an import changed and that its revert left unchanged. 0 until the import is reverted. */
export function keptByRevert({ status, progress }: { status: JobStatus; progress: ImportProgress }): number {
  const { added, strengthened, revert } = progress;
  return status === 'reverted' && revert ? Math.max(0, added + strengthened - revert.reverted) : 0;
}
