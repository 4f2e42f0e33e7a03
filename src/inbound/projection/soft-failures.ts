import type { SoftLimit, Source } from '../sources/source.entity.js';
import type { AddressState, SoftFailures } from './address-state.js';
import { isSoftFailure, timeOf, type NewEvent } from './new-event.js';
import { has } from './step.js';

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
