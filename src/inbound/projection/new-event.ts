import { CAUSES, type Cause } from '../../ledger/cause.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';

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
