import type { Fact, Told } from './day-dialects.js';

export type Strength = 'bounce' | 'manual' | 'unsubscribe' | 'complaint';

export interface ModelRecord {
  cause: Strength;
  mail: string | null;
  /** Which record of this address it is, the first one being 1. */
  ordinal: number;
}

/** A line of the ledger. */
export interface Line {
  action: 'added' | 'strengthened' | 'cause_added' | 'removed';
  cause: Strength;
  source: string;
  mail: string | null;
  ordinal: number;
}

/** What is known of an address. */
export interface AddressState {
  record: ModelRecord | undefined;
  lines: readonly Line[];
  told: readonly Told[];
  /** How many events had been told when the address was removed last. */
  toldAtRemoval: number;
  /** The sources of the events that told against the record that is there. */
  tellers: readonly string[];
  /** What was to be removed and was not there. */
  earlyRemovals: readonly Told[];
}

export const NOTHING_KNOWN: AddressState = {
  record: undefined,
  lines: [],
  told: [],
  toldAtRemoval: 0,
  tellers: [],
  earlyRemovals: [],
};

/** What the source was told in `day-dialects.ts`. The days of the window are longer than the day of the events. */
const SOFT_LIMITS: Readonly<Record<string, number>> = { postmark: 2 };
const STRENGTHS: readonly Strength[] = ['bounce', 'manual', 'unsubscribe', 'complaint'];
const CAUSES: Partial<Record<Fact, Strength>> = {
  hard: 'bounce',
  listed: 'bounce',
  'listed-complaint': 'complaint',
  soft: 'bounce',
  manual: 'manual',
  unsubscribe: 'unsubscribe',
  complaint: 'complaint',
};
const REMOVABLE: ReadonlySet<Fact> = new Set(['hard', 'listed', 'manual']);
const AGAINST: ReadonlySet<Fact> = new Set([
  'hard',
  'listed',
  'listed-complaint',
  'manual',
  'unsubscribe',
  'complaint',
]);

/** The mail that the source names for an event; Resend names none where it tells of a contact or of its list. */
export function mailOf({ source, fact, mail }: Told): string | null {
  const isNameless = source === 'resend' && ['unsubscribe', 'resubscribe', 'removed'].includes(fact);
  return fact === 'manual' || isNameless ? null : mail;
}

/** The rules of the list, told once more in the plainest way: one address, one event after the other. */
export function after(state: AddressState, event: Told): AddressState {
  const known = { ...state, told: [...state.told, event] };
  switch (event.fact) {
    case 'hard':
    case 'manual':
    case 'unsubscribe':
    case 'complaint':
    case 'listed':
    case 'listed-complaint':
      return isOvertaken(state, event)
        ? known
        : { ...suppressed(known, event), tellers: [...state.tellers, event.source] };
    case 'soft':
      return hasFailedTooOften(known, event.source) ? suppressed(known, event) : known;
    case 'resubscribe':
      return !SAYS_LITTLE.has(event.source) && mayLift(state, event) ? lifted(known, event) : known;
    case 'removed':
      if (!state.record) {
        return { ...known, earlyRemovals: [...state.earlyRemovals, event] };
      }
      return mayLift(state, event) ? lifted(known, event) : known;
    case 'delivered':
    case 'unknown':
      return known;
  }
}

function suppressed(state: AddressState, event: Told): AddressState {
  const cause = CAUSES[event.fact]!;
  const { record, lines } = state;
  const isOnlyListed = event.fact === 'listed' || event.fact === 'listed-complaint';
  if (record && isOnlyListed) {
    return state;
  }
  const causes = lines.filter(({ ordinal }) => ordinal === record?.ordinal).map((line) => line.cause);
  if (record && causes.includes(cause)) {
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

/** What was older than a removal of the same source that came first, and found nothing to remove. */
export function isOvertaken(
  { record, earlyRemovals }: AddressState,
  { source, fact, occurredAt }: Told,
): boolean {
  const isAboutIt = (removal: Told) => removal.source === source && removal.occurredAt > occurredAt;
  return !record && REMOVABLE.has(fact) && earlyRemovals.some(isAboutIt);
}

/** What the resubscribes of these are about is one audience or group, not all mail. */
export const SAYS_LITTLE: ReadonlySet<string> = new Set(['resend', 'sendgrid']);

/**
 * Only what the same source alone did and told, and nothing that it told of after the event. No unsubscribe when anybody told of the
 * address a second time: who unsubscribed twice may have meant two lists.
 */
function mayLift(
  { record, lines, told, tellers }: AddressState,
  { source, fact, occurredAt }: Told,
): boolean {
  if (!record) {
    return false;
  }
  const ofRecord = lines.filter(({ ordinal }) => ordinal === record.ordinal);
  const isOwn =
    ofRecord.every((line) => line.source === source) && tellers.every((teller) => teller === source);
  const isUnsubscribe = ofRecord.every(({ cause }) => cause === 'unsubscribe');
  const isOutdated = told.some(
    (event) => event.source === source && AGAINST.has(event.fact) && event.occurredAt > occurredAt,
  );
  const isListed = ofRecord.every(({ cause }) => cause === 'bounce' || cause === 'manual');
  return isOwn && !isOutdated && (fact === 'removed' ? isListed : isUnsubscribe && tellers.length < 2);
}

function lifted(state: AddressState, { source }: Told): AddressState {
  const line: Line = { action: 'removed', source, ...state.record! };
  const lines = [...state.lines, line];
  return { ...state, record: undefined, lines, tellers: [], toldAtRemoval: state.told.length };
}

/** Soft failures of one source, with nothing delivered since by any and no removal since. */
function hasFailedTooOften({ told, toldAtRemoval }: AddressState, source: string): boolean {
  const arrivals = told
    .filter(({ fact }) => fact === 'delivered')
    .map(({ occurredAt }) => occurredAt.getTime());
  const lastArrival = Math.max(0, ...arrivals);
  const failures = told
    .slice(toldAtRemoval)
    .filter((event) => event.source === source && event.fact === 'soft')
    .filter(({ occurredAt }) => occurredAt.getTime() > lastArrival);
  return failures.length >= (SOFT_LIMITS[source] ?? Infinity);
}
