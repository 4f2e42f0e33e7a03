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

/** The properties that a record must have so that an addition would not change it. */
export interface Presence {
  /** If empty, any record suffices. */
  causes: readonly Cause[];
  /** How long a bounce or a manual entry must last; null if it must not expire; absent if any expiry suffices. */
  lastsUntil?: Date | null;
}

/** The properties that a record must have so that this addition would not change it. */
export function presenceOf({ cause, expiresAt }: Addition): Presence {
  return { causes: [cause], ...(canExpire(cause) && { lastsUntil: expiresAt }) };
}

/** @param record - the bits of its causes, and when its bounces and manual entries expire, in milliseconds since 1970 */
export function satisfies(
  record: { causes: number; endsAt: number },
  { causes, lastsUntil }: Presence,
): boolean {
  const end = lastsUntil === undefined ? -Infinity : (lastsUntil?.getTime() ?? Infinity);
  return (maskOf(causes) & ~record.causes) === 0 && record.endsAt >= end;
}
