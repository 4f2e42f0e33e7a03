import { setImmediate } from 'node:timers/promises';
import { InvalidEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { parseMailbox } from '../email-address/mailbox.js';
import { JobFailedError } from '../jobs/job-handler.js';
import { isStronger, canExpire } from '../ledger/cause.js';
import { MAX_NOTE_LENGTH } from '../ledger/evidence.js';
import type { Addition } from '../suppressions/additions/additions.repository.js';
import { isId, storableText } from '../validation/parsers.js';
import { DATE_FORMATS, needsDateFormat, parsePastPeriod, type DateOptions } from './dates.js';
import type { Entry, Mistake, RowError } from './formats/format.js';
import type { NumberedReading } from './formats/read-entries.js';
import type { ErrorCount, ImportProgress, ReadCounts } from './import-progress.js';

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

/** Reads the next value while the caller handles the current one, and lets other work run in between. */
export async function* readAhead<Value>(source: AsyncIterator<Value>): AsyncGenerator<Value> {
  const read = async (): Promise<IteratorResult<Value>> => {
    await setImmediate();
    return source.next();
  };
  let next = read();
  try {
    for (let result = await next; !result.done; result = await next) {
      next = read();
      // It may fail while the caller still handles the current value.
      next.catch(() => undefined);
      yield result.value;
    }
  } finally {
    await next.catch(() => undefined);
    await source.return?.();
  }
}

const ADVICE: Record<RowError, string> = {
  invalid_email: 'If the addresses are in another column, name the columns (mapping).',
  unknown_cause:
    'Name the columns without one for the cause (mapping), and the cause of all rows (default_cause).',
  invalid_date:
    'Dates are read in the date_format, if there is one, or as Unix seconds, RFC 2822, or with the year first.',
  ambiguous_date: `Name the form of the dates (date_format): ${DATE_FORMATS.join(', ')}.`,
  malformed_row: 'A row must have as many fields as the first line, and end in LF or CRLF.',
};

/**
 * Checks the progress of an import that has reached the end of its file.
 *
 * @throws {JobFailedError} if all rows that were to be imported are invalid, since `completed` would mislead
 */
export function requireValidRow({ rows, invalid, errors = {}, ...counts }: ImportProgress): void {
  const { added, strengthened, unchanged, skipped } = counts;
  const valid = added + strengthened + unchanged + (skipped.removed_since ?? 0);
  const [mostFrequent] = (Object.entries(errors) as [RowError, ErrorCount][]).sort(mostRowsFirst);
  if (valid > 0 || !mostFrequent) {
    return;
  }
  const [code, { firstLine }] = mostFrequent;
  const [only, all] =
    invalid < rows
      ? ['The only row that was not skipped', 'rows that were not skipped']
      : ['The only row', 'rows'];
  const subject = invalid === 1 ? `${only} is` : `All ${invalid.toLocaleString('en')} ${all} are`;
  const message = `${subject} invalid. The most frequent error is ${code}, first in line ${firstLine}. ${ADVICE[code]}`;
  throw new JobFailedError('no_valid_row', message, firstLine);
}

function mostRowsFirst([, one]: [RowError, ErrorCount], [, other]: [RowError, ErrorCount]): number {
  return other.rows - one.rows || one.firstLine - other.firstLine;
}
