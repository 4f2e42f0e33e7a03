import { validate as isUuid } from 'uuid';
import { InvalidEmailAddress, parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { isStronger, NEVER_EXPIRES, type Cause } from '../ledger/cause.js';
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
  /** The weaker causes of the same addresses, to be added afterwards; in each part at most one for each address. */
  weaker: Addition[][];
  invalid: InvalidEntry[];
  /** What is known before the additions are applied. */
  counts: ImportProgress;
}

export function readChunk(readings: NumberedReading[], now: Date): Chunk {
  const byEmail = new Map<EmailAddress, Listed>();
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
  const listed = [...byEmail.values()];
  const weaker = [0, 1, 2].map((index) =>
    listed
      .filter(({ weakerCauses }) => weakerCauses.length > index)
      .map((one) => weakerAddition(one, one.weakerCauses[index]!)),
  );
  return { additions: listed, weaker, invalid, counts: { ...counts, invalid: invalid.length } };
}

/** An entry of a file as an addition of its strongest cause. */
type Listed = Addition & {
  weakerCauses: readonly Cause[];
  /** When those of its causes end that can. */
  endsAt: Date | null;
};

function weakerAddition(listed: Listed, cause: Cause): Addition {
  const { weakerCauses: _weakerCauses, endsAt, ...addition } = listed;
  return { ...addition, cause, emailId: null, expiresAt: endOf(cause, endsAt) };
}

function endOf(cause: Cause, endsAt: Date | null): Date | null {
  return NEVER_EXPIRES.includes(cause) ? null : endsAt;
}

function toAddition(entry: Entry, now: Date): Listed | { error: RowError; value: string } {
  const email = parseEmailAddress(entry.email);
  if (email instanceof InvalidEmailAddress) {
    return { error: 'invalid_email', value: entry.email };
  }
  const occurredAt = entry.createdAt === '' ? null : parsePastDate(entry.createdAt, now);
  if (entry.createdAt !== '' && !occurredAt) {
    return { error: 'invalid_date', value: entry.createdAt };
  }
  const { cause, weakerCauses = [], expiresAt: endsAt = null, emailId = '', note } = entry;
  return {
    email,
    cause,
    weakerCauses,
    emailId: cause !== 'manual' && isUuid(emailId) ? emailId : null,
    occurredAt,
    eventId: null,
    endsAt,
    expiresAt: endOf(cause, endsAt),
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
