import { initialOutcome, type Outcome } from '../parsing/outcome.js';
import type { EventOutcome } from '../projection/judgment.js';
import type { NewEvent } from '../projection/new-event.js';

/** What an event did to the list when it was first reported. */
export interface EventResult {
  outcome: Outcome;
  /** A sentence that says why. */
  reason: string;
  suppressionId: string | null;
  /** Whether it was stored before, and did nothing this time. */
  isRepeated: boolean;
}

/** The results of events that were just stored, by key. Those without an outcome did nothing. */
export function resultsOf(stored: NewEvent[], outcomes: EventOutcome[]): Map<string, EventResult> {
  const withoutEffect = stored.map((event) => ({
    event,
    outcome: initialOutcome(event.effect),
    suppressionId: null,
  }));
  return new Map(
    [...withoutEffect, ...outcomes].map(
      ({ event, outcome, suppressionId, reason = event.reason }: EventOutcome) => [
        event.key,
        { outcome, reason, suppressionId, isRepeated: false },
      ],
    ),
  );
}
