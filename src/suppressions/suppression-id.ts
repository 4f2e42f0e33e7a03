import { randomUUID, type UUID } from 'node:crypto';
import type { EmailAddress } from '../email-address/email-address.js';

/** A record to add, if its address is not suppressed yet. */
export interface NewSuppression {
  id: UUID;
  email: EmailAddress;
  createdAt: Date;
}

/** Of the twelve bits behind the milliseconds; the lower half of their range begins a millisecond. */
const MAX_COUNT = 0xfff;
const FIRST_COUNTS = 0x800;

let lastMs = 0;
let count = 0;

/**
 * The moment of creation is the one in the id, so that both give the same order.
 *
 * @param createdAt - when the address was suppressed elsewhere; now if null
 */
export function newSuppression(email: EmailAddress, createdAt: Date | null = null): NewSuppression {
  const random = randomUUID();
  if (createdAt) {
    return {
      id: uuidV7(createdAt.getTime(), Number.parseInt(random.slice(0, 3), 16), random),
      email,
      createdAt,
    };
  }
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    count = Number.parseInt(random.slice(0, 3), 16) % FIRST_COUNTS;
  } else if (count < MAX_COUNT) {
    count++;
  } else {
    lastMs++;
    count = 0;
  }
  return { id: uuidV7(lastMs, count, random), email, createdAt: new Date(lastMs) };
}

/**
 * RFC 9562, section 5.7, with a counter (section 6.2, method 1), so that the ids of one process rise. Node makes its
 * random UUIDs in blocks; the package `uuid` asks for random octets each time, an eighth of what adding costs.
 */
function uuidV7(milliseconds: number, counter: number, random: string): UUID {
  const time = milliseconds.toString(16).padStart(12, '0');
  const version = `7${counter.toString(16).padStart(3, '0')}`;
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${random.slice(18)}` as UUID;
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
