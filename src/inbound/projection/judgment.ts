import type { Cause } from '../../ledger/cause.js';
import type { FinalRecord, NewChange } from '../../suppressions/reservations/reservations.repository.js';
import type { Outcome } from '../parsing/outcome.js';
import type { SoftLimit } from '../sources/source.entity.js';
import type { NewEvent } from './new-event.js';

export interface EventOutcome {
  event: NewEvent;
  outcome: Outcome;
  suppressionId: string | null;
  /** Replaces the reason that the event was stored with. */
  reason?: string | undefined;
  ruleId?: string | undefined;
}

export interface JudgmentRules {
  softLimit?: SoftLimit | undefined;
  /** Says that the provider still has an address on its own list for this cause, and where to remove it. */
  stillListed(cause: Cause): string;
}

/** What the events of one delivery do to one address. */
export interface Judgment extends FinalRecord {
  outcomes: EventOutcome[];
  changes: NewChange[];
  /** Whether an event reported a record of an import, which then outlives a revert of the import. */
  isConfirmed: boolean;
}
