import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';

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
}

/** An address that somebody asks to suppress by hand. */
export function byHand(email: EmailAddress, note: string | null): Addition {
  return { email, cause: 'manual', emailId: null, occurredAt: null, eventId: null, note };
}
