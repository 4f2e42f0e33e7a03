import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, maskOf, type Cause } from '../../ledger/cause.js';

export interface Addition {
  email: EmailAddress;
  cause: Cause;
  emailId: string | null;
  /** When it happened, if known and not now. A new record gets this time of creation. */
  occurredAt: Date | null;
  eventId: string | null;
  note: string | null;
  /** When the cause expires; null if never. Only bounces and manual entries can expire. */
  expiresAt: Date | null;
}

/** The reason and the expiry of a manual entry. */
export type ManualEntry = Pick<Addition, 'note' | 'expiresAt'>;

export function manualAddition(email: EmailAddress, { note, expiresAt }: ManualEntry): Addition {
  return { email, cause: 'manual', emailId: null, occurredAt: null, eventId: null, note, expiresAt };
}

/** What a record covers, or has to cover. */
export interface Coverage {
  /** The mask of its causes. */
  causes: number;
  /** When its bounces and manual entries expire, in milliseconds since 1970; infinite if never. */
  endsAt: number;
}

/** What a record must cover so that an addition would not change it. */
export function coverageOf({ cause, expiresAt }: Addition): Coverage {
  const endsAt = canExpire(cause) ? (expiresAt?.getTime() ?? Infinity) : -Infinity;
  return { causes: maskOf([cause]), endsAt };
}
