import { canExpire, CAUSES, type Cause } from '../../ledger/cause.js';
import { withCause } from '../../suppressions/additions/reserved-record.js';
import { newSuppression } from '../../suppressions/suppression-id.js';
import type { DeliveryEventKind } from '../parsing/delivery-event.js';
import {
  countFailure,
  DAY_MS,
  has,
  isOwnEntry,
  ignored,
  unchanged,
  isBeforeLift,
  type AddressState,
  type RecordState,
  type Step,
  type JudgmentRules,
} from './address-state.js';
import { timeOf, type NewEvent } from './event-outcome.js';

const OWN_ENTRY = 'It is the entry that this service had put on the list of the provider.';
const LIFTED = 'It happened before the address, or its cause, was removed from the list.';
const SUPERSEDED = 'The same source removed the address later, and reported the removal first.';

export function suppress(before: AddressState, event: NewEvent, { stillListed }: JudgmentRules): Step {
  const cause = CAUSES.find((candidate) => candidate === event.kind);
  if (!cause) {
    return unchanged(before, event);
  }
  if (isOwnEntry(before, event)) {
    return { state: before, outcome: 'nothing', record: null, reason: OWN_ENTRY };
  }
  if (!has(before.record, cause) && isBeforeLift(cause, event.occurredAt, before.liftedAt)) {
    return { state: withReportTime(before, event), outcome: 'nothing', record: null, reason: LIFTED };
  }
  const state = withReport(before, event);
  if (cause === 'bounce' && state.allowedBy && !has(state.record, cause)) {
    return ignored(state, state.allowedBy);
  }
  if (state.record) {
    return addCause(state, state.record, event, cause);
  }
  if (isSuperseded(cause, event.occurredAt, state.earlyRemovalAt)) {
    return { state, outcome: 'nothing', record: null, reason: SUPERSEDED };
  }
  if (event.effect === 'suppress-if-absent' && state.isRemovedByPerson) {
    return { state, outcome: 'nothing', record: null, reason: stillListed(cause) };
  }
  return add(state, event, cause);
}

function addCause(state: AddressState, before: RecordState, event: NewEvent, cause: Cause): Step {
  if (event.effect === 'suppress-if-absent' || has(before, cause)) {
    return unchanged(state, event);
  }
  const { expiresAt, bounceTerms } = expiryOf(cause, state);
  const { action, record } = withCause(before, { cause, emailId: event.emailId, expiresAt });
  return {
    state: { ...state, bounceTerms, record },
    outcome: action,
    record,
    expiresAt: canExpire(cause) ? record.expiresAt : null,
  };
}

/** The first record takes the id of the placeholder. */
function add(state: AddressState, { effect, emailId }: NewEvent, cause: Cause): Step {
  const id = state.placeholder ?? newSuppression(state.email).id;
  const reports = effect === 'watch' ? 0 : 1;
  const { expiresAt, bounceTerms } = expiryOf(cause, state);
  const record = {
    id,
    cause,
    weakerCauses: [],
    emailId,
    expiresAt,
    addedFor: cause,
    isOwn: true,
    isImported: false,
    reports,
  };
  return { state: { ...state, bounceTerms, placeholder: null, record }, outcome: 'added', record, expiresAt };
}

/** A failure that reaches the limit has the effect of a hard bounce. An address that has bounced counts no failures. */
export function watch(before: AddressState, event: NewEvent, { softLimit }: JudgmentRules): Step {
  if (
    !softLimit ||
    has(before.record, 'bounce') ||
    event.kind !== 'bounce' ||
    isBeforeLift('bounce', event.occurredAt, before.liftedAt)
  ) {
    return unchanged(before, event);
  }
  const failures = countFailure(before.failures, event, softLimit);
  const state = { ...before, failures };
  if (failures.mails.size < softLimit.failures) {
    return unchanged(state, event);
  }
  if (state.allowedBy) {
    return ignored(state, state.allowedBy);
  }
  return state.record ? addCause(state, state.record, event, 'bounce') : add(state, event, 'bounce');
}

function withReport(state: AddressState, event: NewEvent): AddressState {
  const { record } = state;
  return {
    ...withReportTime(state, event),
    record: record && { ...record, reports: record.reports + 1 },
  };
}

function withReportTime(state: AddressState, event: NewEvent): AddressState {
  return { ...state, lastReportAt: Math.max(state.lastReportAt, timeOf(event)) };
}

/** The expiry of a cause that is added now, and the terms of later bounces. */
function expiryOf(
  cause: Cause,
  { bounceTerms, now }: AddressState,
): { expiresAt: Date | null; bounceTerms: readonly number[] } {
  const [days, ...later] = bounceTerms;
  return cause === 'bounce' && days !== undefined
    ? { expiresAt: new Date(now.getTime() + days * DAY_MS), bounceTerms: later }
    : { expiresAt: null, bounceTerms };
}

/** The causes that an event may lift, by its kind. Nothing lifts a complaint. */
const LIFTS: Partial<Record<DeliveryEventKind, { causes: readonly Cause[]; maxReports: number }>> = {
  // The address was removed from the provider's own list of bounces and manual entries.
  removed: { causes: ['bounce', 'manual'], maxReports: Infinity },
  // The recipient subscribed again. A second report may be about another list or stream than this event.
  resubscribe: { causes: ['unsubscribe'], maxReports: 1 },
};

/**
 * Whether an event removes a record. It does only if its source alone added, changed, and reported the record, if the event may
 * lift all of its causes, and if the source reported nothing later.
 *
 * @param liftedAt - in milliseconds since 1970, as is `lastReportAt`
 */
export function mayLift(
  kind: DeliveryEventKind,
  { cause, weakerCauses, addedFor, isOwn, reports }: RecordState,
  liftedAt: number,
  lastReportAt: number,
): boolean {
  const lift = LIFTS[kind];
  return (
    lift !== undefined &&
    [cause, ...weakerCauses, addedFor].every((present) => lift.causes.includes(present)) &&
    reports <= lift.maxReports &&
    isOwn &&
    lastReportAt <= liftedAt
  );
}

/**
 * Whether a report about an address without a record is superseded: its source removed the address at the provider later,
 * but that event arrived first. A `resubscribe` supersedes nothing, since it may be about another list or stream.
 *
 * @param occurredAt - of the report; without it, the order is unknown
 * @param removedAt - in milliseconds since 1970
 */
export function isSuperseded(cause: Cause, occurredAt: Date | null, removedAt: number): boolean {
  return LIFTS.removed!.causes.includes(cause) && occurredAt !== null && occurredAt.getTime() < removedAt;
}
