import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { MAX_NOTE_LENGTH } from '../../ledger/evidence.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import type { NewChange } from '../../suppressions/additions/reservations.repository.js';
import type { Effect, Outcome } from '../parsing/delivery-event.js';
import { storable } from '../parsing/report.js';
import {
  countArrival,
  NO_FAILURES,
  unchanged,
  withProviderRemoval,
  type AddressState,
  type RecordState,
  type Step,
  type Judgment,
  type JudgmentRules,
} from './address-state.js';
import { isReport, timeOf, type EventOutcome, type NewEvent } from './event-outcome.js';
import { mayLift, suppress, watch } from './report-steps.js';

type Judge = (state: AddressState, event: NewEvent, rules: JudgmentRules) => Step;

const JUDGES: Readonly<Record<Effect, Judge>> = {
  suppress,
  'suppress-if-absent': suppress,
  watch,
  lift,
  'opt-out': unchanged,
  'opt-in': unchanged,
  success: arrive,
  none: unchanged,
};

const UNCHANGED: readonly Outcome[] = ['counted', 'ignored', 'nothing'];

/** Judges the events of one address in the order in which they were reported. */
export function judge(before: AddressState, events: NewEvent[], rules: JudgmentRules): Judgment {
  const outcomes: EventOutcome[] = [];
  const changes: NewChange[] = [];
  let state = before;
  for (const event of events) {
    const step = JUDGES[event.effect](state, event, rules);
    const { outcome, record, reason, ruleId } = step;
    outcomes.push({ event, outcome, suppressionId: record?.id ?? null, reason, ruleId });
    if (record && isChange(outcome)) {
      const expiresAt = step.expiresAt ?? null;
      changes.push({ ...changeOf(outcome, record, event, before.email), expiresAt });
    }
    state = step.state;
  }
  const reservation = before.placeholder ?? before.record!.id;
  const isConfirmed =
    before.record?.isImported === true &&
    outcomes.some(({ event, suppressionId }) => isReport(event) && suppressionId === before.record!.id);
  return { outcomes, changes, isConfirmed, email: before.email, reservation, record: state.record };
}

function isChange(outcome: Outcome): outcome is Outcome & Action {
  return !UNCHANGED.includes(outcome);
}

function lift(state: AddressState, event: NewEvent): Step {
  const { record } = state;
  if (!record) {
    return unchanged(withEarlyRemoval(state, event), event);
  }
  if (!mayLift(event.kind, record, timeOf(event), state.lastReportAt)) {
    return unchanged(state, event);
  }
  const liftedAt =
    event.kind === 'removed' ? withProviderRemoval(state.liftedAt, timeOf(event)) : state.liftedAt;
  return {
    state: { ...state, record: null, isRemovedByPerson: false, failures: NO_FAILURES, liftedAt },
    outcome: 'removed',
    record,
  };
}

function arrive(state: AddressState, event: NewEvent): Step {
  return unchanged({ ...state, failures: countArrival(state.failures, timeOf(event)) }, event);
}

function withEarlyRemoval(state: AddressState, { kind, occurredAt }: NewEvent): AddressState {
  return kind === 'removed' && occurredAt
    ? { ...state, earlyRemovalAt: Math.max(state.earlyRemovalAt, occurredAt.getTime()) }
    : state;
}

function changeOf(
  action: Action,
  record: RecordState,
  event: NewEvent,
  email: EmailAddress,
): Omit<NewChange, 'expiresAt'> {
  const { id: suppressionId } = record;
  const { id: eventId, occurredAt } = event;
  const { cause, emailId } =
    action === 'cause_added' ? { cause: event.kind as Cause, emailId: event.emailId } : record;
  return { action, suppressionId, email, cause, emailId, occurredAt, eventId, note: noteOf(event) };
}

/** The reply of the server, or else the reason for the effect of the event. */
function noteOf({ status, diagnostic, reason, effect }: NewEvent): string | null {
  const parts = diagnostic?.includes(status ?? '') ? [diagnostic] : [status, diagnostic];
  const text = parts.filter((part) => part !== null).join(' ') || reason;
  return storable(
    effect === 'watch' ? `Too many soft failures, the last one: ${text}` : text,
    MAX_NOTE_LENGTH,
  );
}
