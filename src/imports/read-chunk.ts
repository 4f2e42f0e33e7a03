import { validate as isUuid } from 'uuid';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { isStronger } from '../ledger/cause.js';
import type { Addition } from '../suppressions/addition.js';
import { parsePastDate } from './formats/dates.js';
import type { Entry, RowError } from './formats/format.js';
import type { NumberedReading } from './formats/read-entries.js';
import { NO_PROGRESS, type ImportProgress } from './import-progress.js';

const MAX_NOTE_LENGTH = 1_000;
const MAX_VALUE_LENGTH = 320;

/** An entry that could not be read. */
export interface InvalidEntry {
  /** Counted from 1 within the chunk. */
  row: number;
  line: number;
  code: RowError;
  value: string;
}

/** Some entries of a file, ready to be applied. */
export interface Chunk {
  /** At most one for each address: the strongest cause, and of those the oldest. */
  additions: Addition[];
  invalid: InvalidEntry[];
  /** What is known before the additions are applied. */
  counts: ImportProgress;
}

export function readChunk(readings: NumberedReading[], now: Date): Chunk {
  const byEmail = new Map<EmailAddress, Addition>();
  const invalid: InvalidEntry[] = [];
  const counts: ImportProgress = { ...NO_PROGRESS, rows: readings.length, skipped: {} };
  readings.forEach(({ line, reading }, index) => {
    if ('skip' in reading) {
      counts.skipped[reading.skip] = (counts.skipped[reading.skip] ?? 0) + 1;
      return;
    }
    const addition = 'error' in reading ? reading : toAddition(reading, now);
    if ('error' in addition) {
      invalid.push({
        row: index + 1,
        line,
        code: addition.error,
        value: textOf(addition.value, MAX_VALUE_LENGTH),
      });
      return;
    }
    const other = byEmail.get(addition.email);
    counts.unchanged += other ? 1 : 0;
    if (!other || isBefore(addition, other)) {
      byEmail.set(addition.email, addition);
    }
  });
  return { additions: [...byEmail.values()], invalid, counts: { ...counts, invalid: invalid.length } };
}

function toAddition(entry: Entry, now: Date): Addition | { error: RowError; value: string } {
  const email = parseEmailAddress(entry.email);
  if (email instanceof InvalidEmailAddress) {
    return { error: 'invalid_email', value: entry.email };
  }
  const occurredAt = entry.createdAt === '' ? null : parsePastDate(entry.createdAt, now);
  if (entry.createdAt !== '' && !occurredAt) {
    return { error: 'invalid_date', value: entry.createdAt };
  }
  const { cause, emailId = '', expiresAt = null, note } = entry;
  return {
    email,
    cause,
    emailId: cause !== 'manual' && isUuid(emailId) ? emailId : null,
    occurredAt,
    eventId: null,
    expiresAt,
    note: note === '' ? null : textOf(note, MAX_NOTE_LENGTH),
  };
}

function isBefore(one: Addition, other: Addition): boolean {
  if (one.cause !== other.cause) {
    return isStronger(one.cause, other.cause);
  }
  return one.occurredAt !== null && (other.occurredAt === null || one.occurredAt < other.occurredAt);
}

/** PostgreSQL stores neither NUL, which JSON can escape, nor halves of characters. */
function textOf(text: string, maxLength: number): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed();
}
