import type { EventType, SimulatedEvent } from './day-formats.js';

export type Strength = 'bounce' | 'manual' | 'unsubscribe' | 'complaint';

export interface ModelRecord {
  cause: Strength;
  mail: string | null;
  /** Which record of this address it is, the first one being 1. */
  ordinal: number;
}

/** A ledger line. */
export interface Line {
  action: 'added' | 'strengthened' | 'cause_added' | 'removed';
  cause: Strength;
  source: string;
  mail: string | null;
  ordinal: number;
}

export interface AddressState {
  record: ModelRecord | undefined;
  lines: readonly Line[];
  reported: readonly SimulatedEvent[];
  /** How many events had been reported when the address was last removed. */
  reportedAtRemoval: number;
  /** The sources of the events that reported something against the current record. */
  reporters: readonly string[];
  /** Removals of the address while it had no record. */
  earlyRemovals: readonly SimulatedEvent[];
  /** Removals at a provider that lifted a record. */
  providerRemovals: readonly SimulatedEvent[];
}

export const INITIAL_STATE: AddressState = {
  record: undefined,
  lines: [],
  reported: [],
  reportedAtRemoval: 0,
  reporters: [],
  earlyRemovals: [],
  providerRemovals: [],
};

/** As configured in `day-formats.ts`. The window is longer than the day of the events. */
const SOFT_LIMITS: Readonly<Record<string, number>> = { postmark: 2 };
const STRENGTHS: readonly Strength[] = ['bounce', 'manual', 'unsubscribe', 'complaint'];
const CAUSES: Partial<Record<EventType, Strength>> = {
  hard: 'bounce',
  listed: 'bounce',
  'listed-complaint': 'complaint',
  'listed-manual': 'manual',
  soft: 'bounce',
  manual: 'manual',
  unsubscribe: 'unsubscribe',
  complaint: 'complaint',
};
const REMOVABLE: ReadonlySet<EventType> = new Set(['hard', 'listed', 'listed-manual', 'manual']);
const AGAINST: ReadonlySet<EventType> = new Set([
  'hard',
  'listed',
  'listed-complaint',
  'listed-manual',
  'manual',
  'unsubscribe',
  'complaint',
]);

/** The email id that the source reports with an event. Resend reports none for contacts and its suppression list. */
export function mailOf({ source, type, mail }: SimulatedEvent): string | null {
  const isNameless = source === 'resend' && ['unsubscribe', 'resubscribe', 'removed'].includes(type);
  return type === 'manual' || type === 'listed-manual' || isNameless ? null : mail;
}

/** The rules of the list in their simplest form: the state of one address after an event. */
export function applyEvent(state: AddressState, event: SimulatedEvent): AddressState {
  const next = { ...state, reported: [...state.reported, event] };
  switch (event.type) {
    case 'hard':
    case 'manual':
    case 'unsubscribe':
    case 'complaint':
    case 'listed':
    case 'listed-complaint':
    case 'listed-manual':
      return isSuperseded(state, event)
        ? next
        : { ...suppress(next, event), reporters: [...state.reporters, event.source] };
    case 'soft':
      return hasFailedTooOften(next, event.source) ? suppress(next, event) : next;
    case 'resubscribe':
      return !AMBIGUOUS_RESUBSCRIBES.has(event.source) && mayLift(state, event) ? lift(next, event) : next;
    case 'removed':
      if (!state.record) {
        return { ...next, earlyRemovals: [...state.earlyRemovals, event] };
      }
      return mayLift(state, event) ? lift(next, event) : next;
    case 'delivered':
    case 'unknown':
      return next;
  }
}

function suppress(state: AddressState, event: SimulatedEvent): AddressState {
  const cause = CAUSES[event.type]!;
  const { record, lines } = state;
  const isOnlyListed = event.type.startsWith('listed');
  if (record && isOnlyListed) {
    return state;
  }
  if (hasCause(state, cause)) {
    return state;
  }
  if (record && STRENGTHS.indexOf(record.cause) > STRENGTHS.indexOf(cause)) {
    const { ordinal } = record;
    const line = { cause, source: event.source, mail: mailOf(event), ordinal };
    return { ...state, lines: [...lines, { action: 'cause_added', ...line }] };
  }
  const ordinal = record?.ordinal ?? 1 + lines.filter(({ action }) => action === 'added').length;
  const next = { cause, mail: mailOf(event), ordinal };
  const action = record ? 'strengthened' : 'added';
  return { ...state, record: next, lines: [...lines, { action, source: event.source, ...next }] };
}

/** Whether a removal of the same source happened later but arrived first, whether or not there was a record to remove. */
export function isSuperseded(state: AddressState, { source, type, occurredAt }: SimulatedEvent): boolean {
  const { record, earlyRemovals, providerRemovals } = state;
  const isLaterRemoval = (removal: SimulatedEvent) =>
    removal.source === source && removal.occurredAt > occurredAt;
  return (
    REMOVABLE.has(type) &&
    ((!record && earlyRemovals.some(isLaterRemoval)) ||
      (!hasCause(state, CAUSES[type]!) && providerRemovals.some(isLaterRemoval)))
  );
}

function hasCause({ record, lines }: AddressState, cause: Strength): boolean {
  return lines.some((line) => line.ordinal === record?.ordinal && line.cause === cause);
}

/** A resubscribe of these sources is about one audience or group, not about all mail. */
export const AMBIGUOUS_RESUBSCRIBES: ReadonlySet<string> = new Set(['resend', 'sendgrid']);

/**
 * Whether the same source alone added, changed and reported the record, and reported nothing later than the event. An unsubscribe
 * that was reported twice stays, since it may be about two lists.
 */
function mayLift(
  { record, lines, reported, reporters }: AddressState,
  { source, type, occurredAt }: SimulatedEvent,
): boolean {
  if (!record) {
    return false;
  }
  const recordLines = lines.filter(({ ordinal }) => ordinal === record.ordinal);
  const isOwn =
    recordLines.every((line) => line.source === source) && reporters.every((reporter) => reporter === source);
  const isUnsubscribe = recordLines.every(({ cause }) => cause === 'unsubscribe');
  const isOutdated = reported.some(
    (event) => event.source === source && AGAINST.has(event.type) && event.occurredAt > occurredAt,
  );
  const isListed = recordLines.every(({ cause }) => cause === 'bounce' || cause === 'manual');
  return isOwn && !isOutdated && (type === 'removed' ? isListed : isUnsubscribe && reporters.length < 2);
}

function lift(state: AddressState, event: SimulatedEvent): AddressState {
  const line: Line = { action: 'removed', source: event.source, ...state.record! };
  return {
    ...state,
    record: undefined,
    lines: [...state.lines, line],
    reporters: [],
    reportedAtRemoval: state.reported.length,
    providerRemovals: [...state.providerRemovals, ...(event.type === 'removed' ? [event] : [])],
  };
}

/**
 * Whether the source reached its limit of soft failures since the last arrival, from any source, and since the last removal, in
 * the order of arrival and by its own time.
 */
function hasFailedTooOften(
  { reported, reportedAtRemoval, providerRemovals }: AddressState,
  source: string,
): boolean {
  const removals = providerRemovals
    .filter((removal) => removal.source === source)
    .map(({ occurredAt }) => occurredAt.getTime());
  const lastRemoval = Math.max(0, ...removals);
  const arrivals = reported
    .filter(({ type }) => type === 'delivered')
    .map(({ occurredAt }) => occurredAt.getTime());
  const lastArrival = Math.max(0, ...arrivals);
  const failures = reported
    .slice(reportedAtRemoval)
    .filter((event) => event.source === source && event.type === 'soft')
    .filter(({ occurredAt }) => occurredAt.getTime() > lastArrival && occurredAt.getTime() >= lastRemoval);
  return failures.length >= (SOFT_LIMITS[source] ?? Infinity);
}
