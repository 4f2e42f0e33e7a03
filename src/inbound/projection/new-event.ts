import type { DeliveryEvent, Outcome } from '../parsing/delivery-event.js';

/** A delivery event that was not known before. */
export interface NewEvent extends DeliveryEvent {
  id: string;
  receivedAt: Date;
}

/** What an event met or did. */
export interface Settlement {
  event: NewEvent;
  outcome: Outcome;
  suppressionId: string | null;
  /** In place of the one that it was stored with. */
  reason?: string;
}
