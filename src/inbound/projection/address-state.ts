import { PROVIDER_SETTLING_MS } from '../../config/time-limits.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { NO_SOURCE } from '../../ledger/suppression-change.entity.js';
import type { ActiveRule } from '../../rules/rule-set.js';
import type {
  FinalRecord,
  NewChange,
  ReservedRecord,
} from '../../suppressions/additions/reservations.repository.js';
import { causesOf } from '../../suppressions/additions/reserved-record.js';
import type { SoftLimit, Source } from '../sources/source.entity.js';
import { initialOutcome, isSoftFailure, timeOf, type EventOutcome, type NewEvent } from './event-outcome.js';

/** Soft failures that count toward a limit. Times are in milliseconds since 1970; -Infinity means never. */
export interface SoftFailures {
  /** When mail last arrived, from any source. */
  lastArrivalAt: number;
  /** When each mail of the source last failed, by the id of the mail. */
  mails: ReadonlyMap<string, number>;
  /** The revision of the last removal of the address, or of its bounce. Failures from before it are left out. */
  lastRemoval: string | null;
}

/** A record, with the facts that decide whether a source may lift it. */
export interface RecordState extends ReservedRecord {
  addedFor: Cause;
  /** Whether this source alone added, changed and reported it. */
  isOwn: boolean;
  /** Whether an import made the last change, and nobody has confirmed it since. */
  isImported: boolean;
  /** The number of events that reported something against the address since it was added; 2 means two or more. */
  reports: number;
}

/** All facts that decide what a source's events do to an address. Times are as in {@link SoftFailures}. */
export interface AddressState {
  email: EmailAddress;
  /** The id of the placeholder that reserves an address without a record. */
  placeholder: string | null;
  record: RecordState | null;
  /** Whether a person removed the address last. */
  isRemovedByPerson: boolean;
  liftedAt: LiftTimes;
  /** When the source last reported something against the address. */
  lastReportAt: number;
  /** When the source last removed the address from its own list, if the list of this service had no record then. */
  earlyRemovalAt: number;
  failures: SoftFailures;
  hasRules: boolean;
  allowedBy: ActiveRule | null;
  /** For how many days each of the next bounces suppresses the address, in order. Later bounces suppress it permanently. */
  bounceTerms: readonly number[];
  /** When this service put the address on a list of the provider. */
  putAt: readonly number[];
  /** The time of the database, from which the days are counted. */
  now: Date;
}

/** Whether an event reports an entry that this service put on the list of the provider. */
export function isOwnEntry({ putAt }: AddressState, event: NewEvent): boolean {
  return event.kind === 'manual' && putAt.some((at) => Math.abs(timeOf(event) - at) <= PROVIDER_SETTLING_MS);
}

/** The state after one event, with the record that the event found, added, changed or removed. */
export interface Step extends Omit<EventOutcome, 'event' | 'suppressionId'> {
  state: AddressState;
  record: RecordState | null;
  /** The expiry in the ledger line; absent means null. */
  expiresAt?: Date | null;
}

export interface JudgmentRules {
  softLimit?: SoftLimit | undefined;
  /** Says that the provider still has an address on its own list for this cause, and where to remove it. */
  stillListed(cause: Cause): string;
}

/** The effect of the events of one delivery on one address. */
export interface Judgment extends FinalRecord {
  outcomes: EventOutcome[];
  changes: NewChange[];
  /** Whether an event reported an imported record, which then survives a revert of the import. */
  isConfirmed: boolean;
}

/** The step for a bounce that an allow rule keeps off the list. */
export function ignored(state: AddressState, { id, pattern }: ActiveRule): Step {
  const reason = `The rule ${pattern} allows the address, so this bounce does not suppress it.`;
  return { state, outcome: 'ignored', record: state.record, reason, ruleId: id };
}

export function has(record: RecordState | null, cause: Cause): boolean {
  return record !== null && causesOf(record).includes(cause);
}

export function unchanged(state: AddressState, { effect }: NewEvent): Step {
  return {
    state,
    outcome: initialOutcome(effect),
    record: effect === 'success' || effect === 'none' ? null : state.record,
  };
}

export const DAY_MS = 86_400_000;

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
 * The failures that count now. If the address or its bounce was removed since an earlier read, no failure counts, nor do those
 * of this delivery, because they were stored before the removal.
 */
export function remainingFailures(earlier = NO_FAILURES, now = NO_FAILURES): SoftFailures {
  return earlier.lastRemoval === now.lastRemoval ? now : countArrival(now, Infinity);
}

export function mayReachLimit({ options }: Source, events: NewEvent[], failures = NO_FAILURES): boolean {
  const limit = options.softLimit?.failures ?? Infinity;
  return failures.mails.size + events.filter(isSoftFailure).length >= limit;
}

const SECOND_MS = 1000;

/** When each cause of an address was last lifted, in milliseconds since 1970; -Infinity if never. */
export type LiftTimes = Readonly<Record<Cause, number>>;

/**
 * SQL for the times at which each cause of an address was last lifted, in the order of {@link CAUSES}. Lifts by other sources
 * do not count, since another source knows only its own list. Nor does a `resubscribe`, which may be about another list or
 * stream. The first parameters of the statement are the account and the source.
 */
export function liftTimesOf(email: string): string {
  const times = CAUSES.map(
    (cause) => `date_trunc('second', max(lift.withdrawn_at) FILTER (WHERE lift.subject = '${cause}'))`,
  );
  return `
    SELECT ARRAY[${times.join(', ')}]
    FROM withdrawals AS lift
    WHERE lift.account_id = $1
      AND lift.email = ${email}
      AND lift.source_id IN ('${NO_SOURCE}', $2)`;
}

/** @param times - as {@link liftTimesOf} returns them */
export function toLiftTimes(times: (Date | null)[]): LiftTimes {
  const entries = CAUSES.map((cause, index) => [cause, times[index]?.getTime() ?? -Infinity]);
  return Object.fromEntries(entries) as LiftTimes;
}

/** Includes the time at which the provider removed the address from its own list, for bounces and manual entries. */
export function withProviderRemoval(times: LiftTimes, removedAt: number): LiftTimes {
  const second = Math.floor(removedAt / SECOND_MS) * SECOND_MS;
  return {
    ...times,
    bounce: Math.max(times.bounce, second),
    manual: Math.max(times.manual, second),
  };
}

/**
 * Whether an event happened before its cause was lifted, so that it does not suppress again. An event without a time happens
 * when it arrives. Times are compared to the second, because some providers report no fractions.
 */
export function isBeforeLift(cause: Cause, occurredAt: Date | null, times: LiftTimes): boolean {
  return occurredAt !== null && occurredAt.getTime() < times[cause];
}
