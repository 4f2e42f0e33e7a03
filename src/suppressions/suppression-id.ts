import { randomFillSync, type UUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { isoTimestampOf, type SqlTimestamp } from '../database/iso-timestamp.js';
import type { EmailAddress } from '../email-address/email-address.js';

/** A record to add, if its address is not suppressed yet. */
export interface NewSuppression {
  id: UUID;
  email: EmailAddress;
  /** See {@link createdAtOf}. */
  createdAt: SqlTimestamp;
}

/** The counter is in the 12 bits after the milliseconds. Each millisecond begins in the lower half of its range. */
const MAX_COUNT = 0xfff;
const FIRST_COUNTS = 0x800;
/** The last millisecond of the year 9999. Later years are written in another form. */
const MAX_MS = 253_402_300_799_999;

const RANDOM_BYTES = 16;
/** Random bytes for many ids, since generating them for one id takes an eighth of the time of adding a record. */
const randomBlock = Buffer.alloc(256 * RANDOM_BYTES);
let usedBytes = randomBlock.length;

let lastMs = 0;
let count = 0;

/** @param createdAt - when the address was suppressed elsewhere; now if null */
export function newSuppression(email: EmailAddress, createdAt: Date | null = null): NewSuppression {
  const random = nextRandom();
  const randomCount = random.readUInt16BE() & MAX_COUNT;
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

/** Creates a UUIDv7 with a counter (RFC 9562, section 6.2, method 1), so that the ids of one process increase. */
function toRecord(email: EmailAddress, msecs: number, counter: number, random: Buffer): NewSuppression {
  const seq = counter * 2 ** 20 + (random.readUInt32BE(2) >>> 12);
  const id = uuidv7({ msecs, seq, random }) as UUID;
  return { id, email, createdAt: timestampOf(msecs, counter) };
}

function nextRandom(): Buffer {
  if (usedBytes === randomBlock.length) {
    randomFillSync(randomBlock);
    usedBytes = 0;
  }
  return randomBlock.subarray(usedBytes, (usedBytes += RANDOM_BYTES));
}

/**
 * The timestamp in an id: its milliseconds, with the 12 bits after them as their fraction (RFC 9562, section 6.2, method 3).
 * Every record was created at that time, so the order of the ids is the order of creation, and an index by time finds ids.
 */
export function createdAtOf(id: string): SqlTimestamp {
  return timestampOf(createdMsOf(id), Number.parseInt(id.slice(15, 18), 16));
}

/** The timestamp in an id, in milliseconds since 1970. */
export function createdMsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function timestampOf(ms: number, counter: number): SqlTimestamp {
  if (ms > MAX_MS) {
    return 'infinity';
  }
  const microseconds = Math.floor((counter * 1000) / 4096);
  return `${startOf(ms)}${String(microseconds).padStart(3, '0')}Z`;
}

let lastStart = { ms: NaN, text: '' };

/** Caches the text of the last millisecond, since the records of a batch are created within a few milliseconds. */
function startOf(ms: number): string {
  if (lastStart.ms !== ms) {
    lastStart = { ms, text: isoTimestampOf(ms).slice(0, -1) };
  }
  return lastStart.text;
}
