import { randomUUID, type UUID } from 'node:crypto';
import { isoTimestampOf, type SqlTimestamp } from '../database/iso-timestamp.js';
import type { EmailAddress } from '../email-address/email-address.js';

/** A record to add, if its address is not suppressed yet. */
export interface NewSuppression {
  id: UUID;
  email: EmailAddress;
  /** See {@link createdAtOf}. */
  createdAt: SqlTimestamp;
}

/** The counter has the 12 bits after the milliseconds. Each millisecond begins in the lower half of its range. */
const MAX_COUNT = 0xfff;
const FIRST_COUNTS = 0x800;
/** The last millisecond of the year 9999: later years have another form. */
const MAX_MS = 253_402_300_799_999;

let lastMs = 0;
let count = 0;

/** @param createdAt - when the address was suppressed elsewhere; now if null */
export function newSuppression(email: EmailAddress, createdAt: Date | null = null): NewSuppression {
  const random = randomUUID();
  const randomCount = Number.parseInt(random.slice(0, 3), 16);
  if (createdAt) {
    return toRecord(email, createdAt.getTime(), randomCount, random);
  }
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    count = randomCount % FIRST_COUNTS;
  } else if (count < MAX_COUNT) {
    count++;
  } else {
    lastMs++;
    count = 0;
  }
  return toRecord(email, lastMs, count, random);
}

/**
 * A UUIDv7 (RFC 9562, section 5.7) with a counter (section 6.2, method 1), so that the ids of one process rise. Node makes
 * its random UUIDs in blocks; the package `uuid` asks for random bytes each time, an eighth of what adding costs.
 */
function toRecord(email: EmailAddress, ms: number, counter: number, random: string): NewSuppression {
  const id = `${textOf(ms).idStart}7${counter.toString(16).padStart(3, '0')}${random.slice(18)}` as UUID;
  return { id, email, createdAt: timestampOf(ms, counter) };
}

/**
 * The timestamp in an id: its milliseconds, with the 12 bits after them as their fraction (RFC 9562, section 6.2, method 3).
 * Every record was created at that time, so the order of the ids is the order of creation, and an index by time finds ids.
 */
export function createdAtOf(id: string): SqlTimestamp {
  return timestampOf(createdMsOf(id), Number.parseInt(id.slice(15, 18), 16));
}

/** The milliseconds of that timestamp since 1970. */
export function createdMsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function timestampOf(ms: number, counter: number): SqlTimestamp {
  if (ms > MAX_MS) {
    return 'infinity';
  }
  const microseconds = Math.floor((counter * 1000) / 4096);
  return `${textOf(ms).timestampStart}${String(microseconds).padStart(3, '0')}Z`;
}

/** A millisecond as it is written in an id and in a timestamp. */
interface MillisecondText {
  ms: number;
  idStart: string;
  timestampStart: string;
}

let lastText: MillisecondText | undefined;

/** Keeps the text of the last millisecond, since the records of a batch are made within few. */
function textOf(ms: number): MillisecondText {
  if (lastText?.ms !== ms) {
    const hex = ms.toString(16).padStart(12, '0');
    const idStart = `${hex.slice(0, 8)}-${hex.slice(8)}-`;
    lastText = { ms, idStart, timestampStart: isoTimestampOf(ms).slice(0, -1) };
  }
  return lastText;
}

/**
 * The lowest UUIDv7 (RFC 9562, section 5.7) of a millisecond, in the order of PostgreSQL.
 *
 * @param milliseconds - since 1970
 */
export function lowestIdAt(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
