import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, type Cause } from '../../ledger/cause.js';

/** An address to suppress, and why. */
export interface Addition {
  email: EmailAddress;
  cause: Cause;
  /** The mail that triggered it. */
  emailId: string | null;
  /** When it happened, as far as that is known and differs from now. A new record is created at that time. */
  occurredAt: Date | null;
  /** The delivery event that reported it. */
  eventId: string | null;
  note: string | null;
  /** When the cause ends; null if never. Only a bounce and a manual entry can end. */
  expiresAt: Date | null;
}

/** Why somebody suppresses an address by hand, and until when. */
export type ManualEntry = Pick<Addition, 'note' | 'expiresAt'>;

/** An address that somebody asks to suppress by hand. */
export function byHand(email: EmailAddress, { note, expiresAt }: ManualEntry): Addition {
  return { email, cause: 'manual', emailId: null, occurredAt: null, eventId: null, note, expiresAt };
}

/** What a record must have to need no addition. */
export interface Presence {
  /** Without causes, any record will do. */
  causes: readonly Cause[];
  /** Until when a bounce or a manual entry must last, null for good; absent if that does not matter. */
  lastsUntil?: Date | null;
}

/** What an address has if an addition would change nothing. */
export function presenceOf({ cause, expiresAt }: Addition): Presence {
  return { causes: [cause], ...(canExpire(cause) && { lastsUntil: expiresAt }) };
}
