import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import type { Action } from '../../ledger/suppression-change.entity.js';

/** The record that a reserved address has, or gets. */
export interface ReservedRecord {
  id: string;
  cause: Cause;
  weakerCauses: readonly Cause[];
  emailId: string | null;
  /** When bounces and manual entries expire; null if never. */
  expiresAt: Date | null;
}

/** The record of a reserved address after the transaction; null if it has none. */
export interface FinalRecord {
  email: EmailAddress;
  /** The id of the record, or of the placeholder, that was reserved. */
  reservation: string;
  record: ReservedRecord | null;
}

export interface NewChange {
  action: Action;
  suppressionId: string;
  email: EmailAddress;
  cause: Cause;
  emailId: string | null;
  /** When it happened, if the source says so. */
  occurredAt: Date | null;
  eventId: string | null;
  note: string | null;
  /** See `SuppressionChange.expiresAt`. */
  expiresAt: Date | null;
}
