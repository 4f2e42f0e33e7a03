import { numberAt, requireArray, stringAt, textAt } from '../../parsing/json.js';
import {
  contentKey,
  deliveryEvent,
  eventKey,
  unitsOf,
  unreadableEvent,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { fromEpochSeconds } from '../../parsing/timestamp.js';
import { EMAIL_ID_FIELD, type SourceOptions } from '../source-option.js';
import type { SourceSettings } from '../provider.js';
import { mappingFor, type Mapping } from '../../policy/mapping.js';
import { emailIdOf } from '../../parsing/email-id.js';
import { BLOCKED, CLASSIFICATIONS, DROP_REASONS, EVENTS, GROUP_EVENTS } from './mapping.js';

/** The part of `sg_message_id` that identifies the attempt, not the email. */
const ATTEMPT_SUFFIX = /\.(?:filter|recv).*$/s;

/** Always an array of events about different emails, in any order. */
export function readSendgrid(body: unknown, { options }: SourceSettings): DeliveryEvent[] {
  return requireArray(body).map((event) => readEvent(event, options));
}

function readEvent(event: unknown, options: SourceOptions): DeliveryEvent {
  const type = stringAt(event, 'event');
  if (type === undefined) {
    return unreadableEvent(event);
  }
  const field = EMAIL_ID_FIELD.of(options);
  const eventId = stringAt(event, 'sg_event_id');
  const messageId = stringAt(event, 'sg_message_id');
  const bounce = { status: stringAt(event, 'status') ?? null, diagnostic: stringAt(event, 'reason') ?? null };
  return deliveryEvent({
    key: eventId ? eventKey(eventId) : contentKey(event),
    recipient: stringAt(event, 'email'),
    emailId: emailIdOf({
      own: field && textAt(event, field),
      provider: 'sendgrid',
      idKind: 'sg_message_id',
      id: messageId?.replace(ATTEMPT_SUFFIX, ''),
    }),
    rawMessageId: messageId ?? null,
    occurredAt: fromEpochSeconds(numberAt(event, 'timestamp')),
    ...bounce,
    units: type.startsWith('group_') ? unitsOf('group', groupOf(event)) : [],
    ...mappingOf(type, event)(bounce),
  });
}

function groupOf(event: unknown): string | undefined {
  return numberAt(event, 'asm_group_id')?.toString();
}

function mappingOf(type: string, event: unknown): Mapping {
  switch (type) {
    case 'bounce':
      return stringAt(event, 'type') === 'blocked'
        ? BLOCKED
        : mappingFor(CLASSIFICATIONS, stringAt(event, 'bounce_classification')?.toLowerCase() ?? '');
    case 'dropped':
      return mappingFor(DROP_REASONS, stringAt(event, 'reason')?.toLowerCase());
    case 'group_unsubscribe':
    case 'group_resubscribe':
      return mappingFor(GROUP_EVENTS, groupOf(event) === undefined ? undefined : type);
    default:
      return mappingFor(EVENTS, type);
  }
}
