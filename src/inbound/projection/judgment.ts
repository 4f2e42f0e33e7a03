import type { Cause } from '../../ledger/cause.js';
import type { FinalRecord, NewChange } from '../../suppressions/additions/reservations.repository.js';
import type { SoftLimit } from '../sources/source.entity.js';
import type { EventOutcome } from './event-outcome.js';

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
