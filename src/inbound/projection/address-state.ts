import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import type { ReservedRecord } from '../../suppressions/reservations.repository.js';

/** What is counted of mails that may yet arrive. Moments are in milliseconds since 1970, the oldest being -Infinity. */
export interface SoftFailures {
  /** When mail arrived last, of any source. */
  lastArrival: number;
  /** The mails of the source that failed for the moment, with none delivered since: when each failed last. */
  mails: Map<string, number>;
}

/** A record that a source may want to take back. */
export interface KnownRecord extends ReservedRecord {
  /** The cause that it was added for. */
  addedFor: Cause;
  /** Nobody else added or changed it, or told of the address while it was there. */
  isOwn: boolean;
  /** How many events told of the address while it was there; more than two are not counted. */
  tellings: number;
}

/** What a source that tells of an address has to know of it. Moments are as in {@link SoftFailures}. */
export interface AddressState {
  email: EmailAddress;
  /** The id of the record, or of the placeholder, that is reserved. */
  reservation: string;
  record: KnownRecord | null;
  /** The latest that the source told against the address. */
  lastAgainst: number;
  /** The latest `removed` of the source that met no record. */
  earlyRemoval: number;
  failures: SoftFailures;
}

export const NO_FAILURES: SoftFailures = { lastArrival: -Infinity, mails: new Map() };
