import type { Outcome } from '../parsing/delivery-event.js';

/** What an event did to the list when it was first reported. */
export interface EventResult {
  outcome: Outcome;
  /** A sentence that says why. */
  reason: string;
  /** The record that it changed, or that was there already. */
  suppressionId: string | null;
  /** Whether it was stored before, and did nothing this time. */
  isRepeated: boolean;
}
