import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import type { ActiveRule } from '../../rules/rule-set.js';
import type { ReservedRecord } from '../../suppressions/additions/reservations.repository.js';
import { initialOutcome } from '../parsing/outcome.js';
import type { SoftLimit, Source } from '../sources/source.entity.js';
import { isSoftFailure, timeOf, type EventOutcome, type NewEvent } from './event-outcome.js';
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

/** The state after one event, with the record that the event found, added, changed or removed. */
export interface Step extends Omit<EventOutcome, 'event' | 'suppressionId'> {
  state: AddressState;
  record: RecordState | null;
  /** Of the line in the ledger; absent means null. */
  expiresAt?: Date | null;
}

/** An allow rule keeps bounces off the list. */
export function ignored(state: AddressState, { id, pattern }: ActiveRule): Step {
  const reason = `The rule ${pattern} allows the address, so this bounce does not suppress it.`;
  return { state, outcome: 'ignored', record: state.record, reason, ruleId: id };
}

export function has(record: RecordState | null, cause: Cause): boolean {
  return record !== null && (record.cause === cause || record.weakerCauses.includes(cause));
}

export function unchanged(state: AddressState, { effect }: NewEvent): Step {
  return {
    state,
    outcome: initialOutcome(effect),
    record: effect === 'success' || effect === 'none' ? null : state.record,
  };
}

const DAY_MS = 86_400_000;

export const NO_FAILURES: SoftFailures = { lastArrivalAt: -Infinity, mails: new Map(), lastRemoval: null };

/** Counts a failure, unless mail arrived after it or it is too old. A mail that fails several times counts once. */
export function countFailure(failures: SoftFailures, event: NewEvent, { days }: SoftLimit): SoftFailures {
  const failedAt = timeOf(event);
  if (failedAt <= failures.lastArrivalAt || failedAt <= windowStart(event.receivedAt, days)) {
    return failures;
  }
  const mail = event.rawMessageId ?? event.key;
  const last = Math.max(failedAt, failures.mails.get(mail) ?? -Infinity);
  return { ...failures, mails: new Map(failures.mails).set(mail, last) };
}

export function countArrival({ mails, ...failures }: SoftFailures, arrivedAt: number): SoftFailures {
  const lastArrivalAt = Math.max(failures.lastArrivalAt, arrivedAt);
  const remaining = [...mails].filter(([, failedAt]) => failedAt > lastArrivalAt);
  return { ...failures, lastArrivalAt, mails: new Map(remaining) };
}

/** Failures from before this time do not count; in milliseconds since 1970. */
export function windowStart(receivedAt: Date, days: number): number {
  return receivedAt.getTime() - days * DAY_MS;
}

/**
 * If the address or its bounce was removed after its failures were read, neither they count nor those of this delivery, which
 * were stored before the removal.
 */
export function withFailures(state: AddressState, failures: SoftFailures = NO_FAILURES): AddressState {
  const isOutdated =
    !has(state.record, 'bounce') && failures.lastRemoval !== (state.lastRemoval?.revision ?? null);
  return { ...state, failures: isOutdated ? countArrival(failures, Infinity) : failures };
}

export function mayReachLimit({ options }: Source, events: NewEvent[], failures = NO_FAILURES): boolean {
  const limit = options.softLimit?.failures ?? Infinity;
  return failures.mails.size + events.filter(isSoftFailure).length >= limit;
}
