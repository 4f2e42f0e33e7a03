import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, type Cause } from '../../ledger/cause.js';

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

/** What a record must have so that an addition would not change it. */
export interface Presence {
  /** Without causes, any record suffices. */
  causes: readonly Cause[];
  /** How long a bounce or a manual entry must last, null for ever; absent if that does not matter. */
  lastsUntil?: Date | null;
}

/** What a record must have so that this addition would not change it. */
export function presenceOf({ cause, expiresAt }: Addition): Presence {
  return { causes: [cause], ...(canExpire(cause) && { lastsUntil: expiresAt }) };
}
