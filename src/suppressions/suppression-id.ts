import { v7 as uuidv7 } from 'uuid';
import type { EmailAddress } from '../email-address/email-address.js';

/** A record to add, if its address is not suppressed yet. */
export interface NewSuppression {
  id: string;
  email: EmailAddress;
  createdAt: Date;
}

/** The moment of creation is the one in the id, so that both give the same order. */
export function newSuppression(email: EmailAddress): NewSuppression {
  const id = uuidv7();
  const createdAt = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  return { id, email, createdAt };
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
