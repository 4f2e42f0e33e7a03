import type { DeliveryEvent } from '../parsing/delivery-event.js';

/** A delivery event that was just stored for the first time. */
export interface NewEvent extends DeliveryEvent {
  id: string;
  receivedAt: Date;
}

/** When an event happened, or else when it was received; in milliseconds since 1970. */
export function timeOf({ occurredAt, receivedAt }: NewEvent): number {
  return (occurredAt ?? receivedAt).getTime();
}
