import { canExpire, CAUSES, isStronger, type Cause } from '../../ledger/cause.js';
import { newSuppression } from '../../suppressions/suppression-id.js';
import type { AddressState, RecordState } from './address-state.js';
import { expiryOf, laterExpiry } from './bounce-terms.js';
import type { JudgmentRules } from './judgment.js';
import { isBeforeLift } from './lift-times.js';
import { isSuperseded } from './lifting.js';
import { timeOf, type NewEvent } from './new-event.js';
import { countFailure } from './soft-failures.js';
import { has, ignored, unchanged, type Step } from './step.js';

const LIFTED = 'It happened before the address, or its cause, was removed from the list.';
const SUPERSEDED = 'The same source removed the address later, and reported the removal first.';

export function suppress(before: AddressState, event: NewEvent, { stillListed }: JudgmentRules): Step {
  const cause = CAUSES.find((candidate) => candidate === event.kind);
  if (!cause) {
    return unchanged(before, event);
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
  if (event.effect === 'suppress-if-absent' && state.lastRemoval?.isByPerson) {
    return { state, outcome: 'nothing', record: null, reason: stillListed(cause) };
  }
  return add(state, event, cause);
}

function addCause(state: AddressState, record: RecordState, event: NewEvent, cause: Cause): Step {
  const { cause: strongest, weakerCauses } = record;
  const { expiresAt, bounceTerms } = expiryOf(cause, state);
  if (event.effect === 'suppress-if-absent' || has(record, cause)) {
    return unchanged(state, event);
  }
  const [outcome, changed] = isStronger(cause, strongest)
    ? ([
        'strengthened',
        { cause, weakerCauses: [strongest, ...weakerCauses], emailId: event.emailId },
      ] as const)
    : (['cause_added', { weakerCauses: [...weakerCauses, cause] }] as const);
  const next = { ...record, ...changed, expiresAt: laterExpiry(record, cause, expiresAt) };
  return {
    state: { ...state, bounceTerms, record: next },
    outcome,
    record: next,
    expiresAt: canExpire(cause) ? next.expiresAt : null,
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
  if (!softLimit || has(before.record, 'bounce') || event.kind !== 'bounce') {
    return unchanged(before, event);
  }
  if (isBeforeLift('bounce', event.occurredAt, before.liftedAt)) {
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
