import { isDeepStrictEqual } from 'node:util';
import type { Told } from './day-dialects.js';
import { after, isOvertaken, NOTHING_KNOWN, type AddressState, type Line } from './day-model.js';

/** Events of one address that the service took in one transaction. */
export interface Step {
  /** In the order of the body. */
  events: Told[];
  /** What the service says each of them did, {@link OVERTAKEN} being a reason to do nothing. */
  outcomes: string[];
  /** When the delivery had arrived, and when it was certainly done, in milliseconds since 1970. */
  begin: number;
  end: number;
}

export const OVERTAKEN = 'overtaken';

/** Far more than the search needs where there is an order. */
const MAX_STATES = 100_000;

interface Found {
  state: AddressState;
  left: readonly Step[];
}

/**
 * Looks for the order in which events of one address took effect. Only the moment of a change is written down, so an
 * event that met what was there may stand anywhere in the time that its delivery took. No step may stand before one that
 * was done when it began; the model must do at each event what the service did; the lines must come as in the ledger.
 *
 * @returns what the model holds after the events in that order; undefined when there is none
 * @throws {Error} when there are too many orders to try
 */
export function inSomeOrder(steps: Step[], ledger: Line[]): AddressState | undefined {
  const seen = new Set<string>();
  const numbers = new Map(steps.map((step, index) => [step, index]));
  const waiting: Found[] = [{ state: NOTHING_KNOWN, left: steps.toSorted((a, b) => a.begin - b.begin) }];
  for (let found = waiting.pop(); found; found = waiting.pop()) {
    const { state, left } = found;
    if (left.length === 0) {
      return state;
    }
    const firstEnd = Math.min(...left.map(({ end }) => end));
    const next = left.flatMap((step) => {
      const reached = step.begin <= firstEnd ? take(state, step, ledger) : undefined;
      return reached ? [{ state: reached, left: left.filter((other) => other !== step) }] : [];
    });
    for (const candidate of next.toReversed()) {
      const name = nameOf(candidate, numbers);
      if (!seen.has(name)) {
        if (seen.size === MAX_STATES) {
          throw new Error(`No order of ${steps.length} steps was found among ${MAX_STATES} states.`);
        }
        seen.add(name);
        waiting.push(candidate);
      }
    }
  }
  return undefined;
}

/** Steps that are left decide which events were told; the record, the last removal, and what was told while there was no record is what else differs. */
function nameOf({ state, left }: Found, numbers: Map<Step, number>): string {
  const remaining = left.map((step) => numbers.get(step)).join(' ');
  const since = state.told
    .slice(state.toldAtRemoval)
    .map(({ number }) => number)
    .toSorted((a, b) => a - b);
  const early = state.earlyRemovals.map(({ number }) => number).toSorted((a, b) => a - b);
  return JSON.stringify([remaining, state.lines.length, state.tellers, since, early]);
}

function outcomeWithoutChange(state: AddressState, event: Told): string {
  if (isOvertaken(state, event)) {
    return OVERTAKEN;
  }
  return event.fact === 'soft' ? 'counted' : 'nothing';
}

function take(begin: AddressState, { events, outcomes }: Step, ledger: Line[]): AddressState | undefined {
  let state = begin;
  for (const [index, event] of events.entries()) {
    const next = after(state, event);
    const line = next.lines.length > state.lines.length ? next.lines.at(-1) : undefined;
    const otherwise = outcomeWithoutChange(state, event);
    const agrees =
      outcomes[index] === (line?.action ?? otherwise) &&
      (line === undefined || isDeepStrictEqual(line, ledger[state.lines.length]));
    if (!agrees) {
      return undefined;
    }
    state = next;
  }
  return state;
}
