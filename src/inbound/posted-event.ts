import { randomUUID } from 'node:crypto';
import type { EmailAddress } from '../email-address/email-address.js';
import { deliveryEvent, type DeliveryEvent } from './parsing/delivery-event.js';
import { contentKey, eventKey } from './parsing/event-key.js';
import type { Classification } from './policy/classify.js';
import { byDiagnostic } from './policy/mapping.js';

export const POSTED_EVENT_TYPES = ['bounce', 'complaint', 'unsubscribe'] as const;

export type PostedEventType = (typeof POSTED_EVENT_TYPES)[number];

const REPORTED_BY_MAILER = 'The mailer that sent the message reported it.';

export interface PostedEvent {
  type: PostedEventType;
  email: EmailAddress;
  emailId: string | null;
  occurredAt: Date | null;
  status: string | null;
  diagnostic: string | null;
}

/**
 * The event as the inbox stores it. A repetition is recognized by the Idempotency-Key of the request, or else by the
 * content of an event that names its time. Without either, each event is a new one, even if it names its mail: a recipient
 * may unsubscribe from the same mail again.
 *
 * @param index - of the event in the request
 */
export function toDeliveryEvent(
  event: PostedEvent,
  index: number,
  idempotencyKey: string | undefined,
): DeliveryEvent {
  const { type, email, emailId, occurredAt, status, diagnostic } = event;
  const content = contentKey([type, email, emailId, occurredAt, status, diagnostic]);
  const key = occurredAt === null ? randomUUID() : content;
  return deliveryEvent({
    key: idempotencyKey === undefined ? key : eventKey('key', idempotencyKey, String(index), content),
    recipient: email,
    emailId,
    occurredAt,
    status,
    diagnostic,
    ...classificationOf(event),
  });
}

/** A bounce without a status or a diagnostic is believed. */
function classificationOf({ type, status, diagnostic }: PostedEvent): Classification {
  return type === 'bounce' && (status ?? diagnostic) !== null
    ? byDiagnostic({ status, diagnostic })
    : { kind: type, effect: 'suppress', reason: REPORTED_BY_MAILER };
}
