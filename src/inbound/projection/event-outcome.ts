import { CAUSES, type Cause } from '../../ledger/cause.js';
import type { DeliveryEvent, Effect, Outcome } from '../parsing/delivery-event.js';

export interface ReceivedEvent extends DeliveryEvent {
  receivedAt: Date;
}

export interface NewEvent extends ReceivedEvent {
  id: string;
}

/** When an event happened, or else when it was received; in milliseconds since 1970. */
export function timeOf({ occurredAt, receivedAt }: NewEvent): number {
  return (occurredAt ?? receivedAt).getTime();
}

/** The causes that the events ask for, the strongest first. */
export function causesOf(events: DeliveryEvent[]): Cause[] {
  const kinds = events.filter(({ effect }) => effect === 'suppress').map(({ kind }) => kind);
  return CAUSES.filter((cause) => kinds.some((kind) => kind === cause)).toReversed();
}

export function isAboutList(event: NewEvent): boolean {
  return isReport(event) || event.effect === 'lift';
}

export function isReport({ effect }: DeliveryEvent): boolean {
  return effect === 'suppress' || effect === 'suppress-if-absent';
}

export function isSoftFailure({ effect }: NewEvent): boolean {
  return effect === 'watch';
}

/** The outcome of an event that changes nothing. */
export function initialOutcome(effect: Effect): Outcome {
  return effect === 'watch' ? 'counted' : 'nothing';
}

export interface EventOutcome {
  event: NewEvent;
  outcome: Outcome;
  suppressionId: string | null;
  /** Replaces the reason that the event was stored with. */
  reason?: string | undefined;
  ruleId?: string | undefined;
}

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
