import type { Cause } from '../../ledger/cause.js';
import type { ActiveRule } from '../../rules/rule-set.js';
import { initialOutcome } from '../parsing/outcome.js';
import type { AddressState, RecordState } from './address-state.js';
import type { EventOutcome } from './judgment.js';
import type { NewEvent } from './new-event.js';

/** The state after one event, with the record that the event found, added, changed or removed. */
export interface Step extends Omit<EventOutcome, 'event' | 'suppressionId'> {
  state: AddressState;
  record: RecordState | null;
  /** Of the line in the ledger; absent means null. */
  expiresAt?: Date | null;
}

/** An allow rule keeps bounces off the list. */
export function ignored(state: AddressState, { id, pattern }: ActiveRule): Step {
  const reason = `The rule ${pattern} allows the address, so this bounce does not suppress it.`;
  return { state, outcome: 'ignored', record: state.record, reason, ruleId: id };
}

export function has(record: RecordState | null, cause: Cause): boolean {
  return record !== null && (record.cause === cause || record.weakerCauses.includes(cause));
}

export function unchanged(state: AddressState, { effect }: NewEvent): Step {
  return {
    state,
    outcome: initialOutcome(effect),
    record: effect === 'success' || effect === 'none' ? null : state.record,
  };
}
