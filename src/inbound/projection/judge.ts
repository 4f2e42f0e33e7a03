import type { EmailAddress } from '../../email-address/email-address.js';
import { CAUSES, isStronger, type Cause } from '../../ledger/cause.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import type { BookedRule } from '../../rules/rule-book.js';
import type { FinalRecord, NewChange } from '../../suppressions/reservation.js';
import { newSuppression } from '../../suppressions/suppression-id.js';
import {
  initialOutcome,
  storable,
  type DeliveryEventKind,
  type Effect,
  type Outcome,
} from '../parsing/delivery-event.js';
import type { SoftLimit } from '../sources/source.entity.js';
import type { AddressState, KnownRecord } from './address-state.js';
import { expiryOf, laterExpiry } from './bounce-terms.js';
import { isSuperseded, mayLift } from './lifting.js';
import { timeOf, type NewEvent } from './new-event.js';
import { countArrival, countFailure, NO_FAILURES } from './soft-failures.js';

/** What an event did to the list. */
export interface EventOutcome {
  event: NewEvent;
  outcome: Outcome;
  /** The record that the event changed, or that was there already. */
  suppressionId: string | null;
  /** Replaces the reason that the event was stored with. */
  reason?: string | undefined;
  /** The rule because of which the event was ignored. */
  ruleId?: string | undefined;
}

/** How a source wants its events to be judged. */
export interface JudgmentRules {
  softLimit?: SoftLimit | undefined;
  /** Says that the provider still has an address on its own list for events of this kind, and where to remove it. */
  stillListed(kind: DeliveryEventKind): string;
}

/** What the events of one delivery do to one address. */
export interface Judgment extends FinalRecord {
  outcomes: EventOutcome[];
  changes: NewChange[];
}

/** The state after one event, with the record that the event met, made, changed or removed. */
interface Step extends Omit<EventOutcome, 'event' | 'suppressionId'> {
  state: AddressState;
  record: KnownRecord | null;
  /** When the cause that was added ends; absent if never. */
  expiresAt?: Date | null;
}

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
const SUPERSEDED = 'The same source removed the address later, and reported the removal first.';
const MAX_NOTE_LENGTH = 1_000;

/** Judges the events of one address in the order in which they were reported. */
export function judge(before: AddressState, events: NewEvent[], rules: JudgmentRules): Judgment {
  const outcomes: EventOutcome[] = [];
  const changes: NewChange[] = [];
  let state = before;
  for (const event of events) {
    const {
      outcome,
      record,
      reason,
      ruleId,
      expiresAt = null,
      ...step
    } = JUDGES[event.effect](state, event, rules);
    outcomes.push({ event, outcome, suppressionId: record?.id ?? null, reason, ruleId });
    if (record && isChange(outcome)) {
      changes.push({ ...changeOf(outcome, record, event, before.email), expiresAt });
    }
    ({ state } = step);
  }
  const reservation = before.placeholder ?? before.record!.id;
  return { outcomes, changes, email: before.email, reservation, record: state.record };
}

function suppress(before: AddressState, event: NewEvent, { stillListed }: JudgmentRules): Step {
  const cause = CAUSES.find((one) => one === event.kind);
  if (!cause) {
    return unchanged(before, event);
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
    return { state, outcome: 'nothing', record: null, reason: stillListed(event.kind) };
  }
  return add(state, event, cause);
}

function addCause(state: AddressState, record: KnownRecord, event: NewEvent, cause: Cause): Step {
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
  return { state: { ...state, bounceTerms, record: next }, outcome, record: next, expiresAt };
}

/** The first record takes the id of the placeholder. */
function add(state: AddressState, { effect, emailId }: NewEvent, cause: Cause): Step {
  const id = state.placeholder ?? newSuppression(state.email).id;
  const reports = effect === 'watch' ? 0 : 1;
  const { expiresAt, bounceTerms } = expiryOf(cause, state);
  const record = { id, cause, weakerCauses: [], emailId, expiresAt, addedFor: cause, isOwn: true, reports };
  return { state: { ...state, bounceTerms, placeholder: null, record }, outcome: 'added', record, expiresAt };
}

/** A record is there for a cause as strong as a bounce, so only an address without one can reach the limit. */
function watch(before: AddressState, event: NewEvent, { softLimit }: JudgmentRules): Step {
  if (!softLimit || before.record || event.kind !== 'bounce') {
    return unchanged(before, event);
  }
  const failures = countFailure(before.failures, event, softLimit);
  const state = { ...before, failures };
  if (failures.mails.size < softLimit.failures) {
    return unchanged(state, event);
  }
  return state.allowedBy ? ignored(state, state.allowedBy) : add(state, event, 'bounce');
}

/** An allow rule keeps bounces off the list. */
function ignored(state: AddressState, { id, pattern }: BookedRule): Step {
  const reason = `The rule ${pattern} allows the address, so this bounce does not suppress it.`;
  return { state, outcome: 'ignored', record: state.record, reason, ruleId: id };
}

function has(record: KnownRecord | null, cause: Cause): boolean {
  return record !== null && (record.cause === cause || record.weakerCauses.includes(cause));
}

function isChange(outcome: Outcome): outcome is Outcome & Action {
  return !UNCHANGED.includes(outcome);
}

function lift(state: AddressState, event: NewEvent): Step {
  const { record } = state;
  if (!record) {
    return unchanged(withEarlyRemoval(state, event), event);
  }
  return mayLift(event.kind, record, timeOf(event), state.lastReportAt)
    ? {
        state: { ...state, record: null, lastRemoval: null, failures: NO_FAILURES },
        outcome: 'removed',
        record,
      }
    : unchanged(state, event);
}

function arrive(state: AddressState, event: NewEvent): Step {
  return unchanged({ ...state, failures: countArrival(state.failures, timeOf(event)) }, event);
}

function unchanged(state: AddressState, { effect }: NewEvent): Step {
  return {
    state,
    outcome: initialOutcome(effect),
    record: effect === 'success' || effect === 'none' ? null : state.record,
  };
}

function withReport(state: AddressState, event: NewEvent): AddressState {
  const { record } = state;
  return {
    ...state,
    record: record && { ...record, reports: record.reports + 1 },
    lastReportAt: Math.max(state.lastReportAt, timeOf(event)),
  };
}

function withEarlyRemoval(state: AddressState, { kind, occurredAt }: NewEvent): AddressState {
  return kind === 'removed' && occurredAt
    ? { ...state, earlyRemovalAt: Math.max(state.earlyRemovalAt, occurredAt.getTime()) }
    : state;
}

function changeOf(
  action: Action,
  record: KnownRecord,
  event: NewEvent,
  email: EmailAddress,
): Omit<NewChange, 'expiresAt'> {
  const { id: suppressionId } = record;
  const { id: eventId, occurredAt } = event;
  const { cause, emailId } =
    action === 'cause_added' ? { cause: event.kind as Cause, emailId: event.emailId } : record;
  return { action, suppressionId, email, cause, emailId, occurredAt, eventId, note: noteOf(event) };
}

/** What the server said, for whoever reads the history. */
function noteOf({ status, diagnostic, reason, effect }: NewEvent): string | null {
  const said = diagnostic?.includes(status ?? '') ? [diagnostic] : [status, diagnostic];
  const text = said.filter((part) => part !== null).join(' ') || reason;
  return storable(
    effect === 'watch' ? `Too many soft failures, the last one: ${text}` : text,
    MAX_NOTE_LENGTH,
  );
}
