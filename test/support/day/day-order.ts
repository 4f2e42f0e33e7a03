import { isDeepStrictEqual } from 'node:util';
import type { SimulatedEvent } from './day-formats.js';
import { applyEvent, INITIAL_STATE, isSuperseded, type AddressState, type Line } from './day-model.js';

interface TakenEvent {
  event: SimulatedEvent;
  /** What the service says that it did; {@link SUPERSEDED} if that was nothing for this reason. */
  outcome: string;
  /** The number of its body. */
  body: number;
  arrivedAt: number;
}

/** Events of one address that the service took in one transaction, from one body or several. */
export interface Step {
  taken: TakenEvent[];
  /** When the delivery had arrived, and when it had certainly been applied, in milliseconds since 1970. */
  begin: number;
  end: number;
}

export const SUPERSEDED = 'superseded';

/** Far more than the search needs if there is an order. */
const MAX_STATES = 100_000;

interface Candidate {
  state: AddressState;
  remaining: readonly Step[];
}

/**
 * Searches for an order of the steps of one address that explains what the service did. The service records only changes, so an
 * event without a change may have been applied at any time during its delivery. A step cannot precede one that had been applied
 * when it began; the model must agree with the service on each event, and its lines with the ledger.
 *
 * @returns the state of the model after the steps in that order; undefined if there is none
 * @throws {Error} if there are too many orders to try
 */
export function findOrder(steps: Step[], ledger: Line[]): AddressState | undefined {
  const seen = new Set<string>();
  const numbers = new Map(steps.map((step, index) => [step, index]));
  const waiting: Candidate[] = [
    { state: INITIAL_STATE, remaining: steps.toSorted((a, b) => a.begin - b.begin) },
  ];
  for (let current = waiting.pop(); current; current = waiting.pop()) {
    const { state, remaining } = current;
    if (remaining.length === 0) {
      return state;
    }
    const firstEnd = Math.min(...remaining.map(({ end }) => end));
    const next = remaining
      .filter(({ begin }) => begin <= firstEnd)
      .flatMap((step) =>
        ordersOf(step)
          .map((ordered) => applyStep(state, ordered, ledger))
          .filter((newState) => newState !== undefined)
          .map((newState) => ({ state: newState, remaining: remaining.filter((other) => other !== step) })),
      );
    for (const candidate of next.toReversed()) {
      const key = keyOf(candidate, numbers);
      if (!seen.has(key)) {
        if (seen.size === MAX_STATES) {
          throw new Error(`No order of ${steps.length} steps was found among ${MAX_STATES} states.`);
        }
        seen.add(key);
        waiting.push(candidate);
      }
    }
  }
  return undefined;
}

/**
 * Identifies a state. The remaining steps decide which events were applied; states with the same steps can differ in the record,
 * the last removal, and what was reported while there was no record.
 */
function keyOf({ state, remaining }: Candidate, numbers: Map<Step, number>): string {
  const steps = remaining.map((step) => numbers.get(step)).join(' ');
  const since = state.reported
    .slice(state.reportedAtRemoval)
    .map(({ number }) => number)
    .toSorted((a, b) => a - b);
  const removals = [...state.earlyRemovals, ...state.providerRemovals]
    .map(({ number }) => number)
    .toSorted((a, b) => a - b);
  return JSON.stringify([steps, state.lines.length, state.reporters, since, removals]);
}

/** The orders in which the service may have read the events: that of bodies from the same millisecond is not known. */
function ordersOf({ taken }: Step): TakenEvent[][] {
  return [1, -1].map((direction) =>
    taken.toSorted(
      (a, b) => a.arrivedAt - b.arrivedAt || direction * (a.body - b.body) || a.event.number - b.event.number,
    ),
  );
}

function outcomeWithoutChange(state: AddressState, event: SimulatedEvent): string {
  if (isSuperseded(state, event)) {
    return SUPERSEDED;
  }
  return event.type === 'soft' ? 'counted' : 'nothing';
}

function applyStep(begin: AddressState, taken: TakenEvent[], ledger: Line[]): AddressState | undefined {
  let state = begin;
  for (const { event, outcome } of taken) {
    const next = applyEvent(state, event);
    const line = next.lines.length > state.lines.length ? next.lines.at(-1) : undefined;
    const otherwise = outcomeWithoutChange(state, event);
    const agrees =
      outcome === (line?.action ?? otherwise) &&
      (line === undefined || isDeepStrictEqual(line, ledger[state.lines.length]));
    if (!agrees) {
      return undefined;
    }
    state = next;
  }
  return state;
}
