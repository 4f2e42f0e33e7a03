import { validate as isUuid } from 'uuid';
import { InvalidEmailAddress } from '../email-address/invalid-email-address.js';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { isStronger, canExpire } from '../ledger/cause.js';
import type { Addition } from '../suppressions/additions/addition.js';
import { latestTimeOf, parsePastDate } from './formats/dates.js';
import type { Entry, Mistake, RowError } from './formats/format.js';
import type { NumberedReading } from './formats/read-entries.js';
import type { ReadCounts } from './import-progress.js';

const MAX_NOTE_LENGTH = 1_000;
const MAX_VALUE_LENGTH = 320;

export interface InvalidEntry {
  /** Counted from 1 within the chunk. */
  row: number;
  line: number;
  code: RowError;
  value: string;
}

export interface ReportedCause extends Addition {
  /** The entry, counted from 1 within the chunk. */
  row: number;
  /** The latest time at which it can have happened. */
  latestAt: Date;
}

/** Some entries of a file, ready to be applied. */
export interface Chunk {
  /** By address: the causes that the entries give, the strongest first, and of the same cause the oldest. */
  addresses: ReportedCause[][];
  invalid: InvalidEntry[];
  counts: ReadCounts;
}

/** @param knownSince - when the file was first uploaded: entries without a date happened before */
export function readChunk(readings: NumberedReading[], now: Date, knownSince: Date): Chunk {
  const byEmail = new Map<EmailAddress, ReportedCause[]>();
  const invalid: InvalidEntry[] = [];
  const skipped: ReadCounts['skipped'] = {};
  readings.forEach(({ line, reading }, index) => {
    const row = index + 1;
    if ('skip' in reading) {
      skipped[reading.skip] = (skipped[reading.skip] ?? 0) + 1;
      return;
    }
    const causes = 'error' in reading ? reading : toCauses(reading, row, now, knownSince);
    if ('error' in causes) {
      invalid.push({ row, line, code: causes.error, value: valueOf(causes) });
      return;
    }
    const { email } = causes[0]!;
    const others = byEmail.get(email);
    byEmail.set(email, others ? [...others, ...causes].sort(strongestAndOldestFirst) : causes);
  });
  const counts = { rows: readings.length, skipped, invalid: invalid.length };
  return { addresses: [...byEmail.values()], invalid, counts };
}

function toCauses(entry: Entry, row: number, now: Date, knownSince: Date): ReportedCause[] | Mistake {
  const email = parseEmailAddress(entry.email);
  if (email instanceof InvalidEmailAddress) {
    return { error: 'invalid_email', value: entry.email };
  }
  const occurredAt = entry.createdAt === '' ? null : parsePastDate(entry.createdAt, now);
  if (entry.createdAt !== '' && !occurredAt) {
    return { error: 'invalid_date', value: entry.createdAt, email: entry.email };
  }
  const { cause: strongest, weakerCauses = [], expiresAt = null, emailId = '', note } = entry;
  return [strongest, ...weakerCauses].map((cause) => ({
    email,
    cause,
    emailId: cause === strongest && cause !== 'manual' && isUuid(emailId) ? emailId : null,
    occurredAt,
    eventId: null,
    note: note === '' ? null : textOf(note, MAX_NOTE_LENGTH),
    expiresAt: canExpire(cause) ? expiresAt : null,
    row,
    latestAt: occurredAt ? latestTimeOf(entry.createdAt, occurredAt) : knownSince,
  }));
}

function strongestAndOldestFirst(one: ReportedCause, other: ReportedCause): number {
  if (one.cause !== other.cause) {
    return isStronger(one.cause, other.cause) ? -1 : 1;
  }
  return (one.occurredAt?.getTime() ?? Infinity) < (other.occurredAt?.getTime() ?? Infinity) ? -1 : 1;
}

/** The value that cannot be read, and the address, by which a person finds the entry. */
function valueOf({ value, email = '' }: Mistake): string {
  const text = textOf(value, MAX_VALUE_LENGTH);
  return email === '' ? text : `${text} (${textOf(email, MAX_VALUE_LENGTH)})`.trimStart();
}

/** PostgreSQL stores neither NUL, which JSON can escape, nor unpaired surrogates. */
function textOf(text: string, maxLength: number): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed();
}
