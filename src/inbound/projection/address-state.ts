import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import type { ActiveRule } from '../../rules/rule-set.js';
import type { ReservedRecord } from '../../suppressions/reservations/reservations.repository.js';
import type { LiftTimes } from './lift-times.js';

/** Soft failures that count towards a limit. Times are in milliseconds since 1970; -Infinity means never. */
export interface SoftFailures {
  /** When mail last arrived, from any source. */
  lastArrivalAt: number;
  /** When each of the source's mails last failed, by the id of the mail. */
  mails: ReadonlyMap<string, number>;
  /** The revision of the last removal of the address, or of its bounce. Failures from before it are left out. */
  lastRemoval: string | null;
}

/** A record, with what decides whether a source may lift it. */
export interface RecordState extends ReservedRecord {
  addedFor: Cause;
  /** Whether this source alone added, changed and reported it. */
  isOwn: boolean;
  /** Whether an import made the last change, and nobody has confirmed it since. */
  isImported: boolean;
  /** How many events reported something against the address since it was added; 2 stands for more. */
  reports: number;
}

/** Everything that decides what a source's events do to an address. Times are as in {@link SoftFailures}. */
export interface AddressState {
  email: EmailAddress;
  /** The id of the placeholder that reserves an address without a record. */
  placeholder: string | null;
  record: RecordState | null;
  /** The last removal of the address, or of its bounce; null if the record has a bounce. */
  lastRemoval: { revision: string; isByPerson: boolean } | null;
  liftedAt: LiftTimes;
  /** When the source last reported something against the address. */
  lastReportAt: number;
  /** When the source last removed the address from its own list, if the list of this service had no record then. */
  earlyRemovalAt: number;
  failures: SoftFailures;
  hasRules: boolean;
  allowedBy: ActiveRule | null;
  /** For how many days the next bounces suppress the address, the first one first; later ones do for good. */
  bounceTerms: readonly number[];
  /** The time of the database, from which these days are counted. */
  now: Date;
}
