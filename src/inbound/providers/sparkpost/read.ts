import { isObject, requireArray, stringAt, textAt, valueAt } from '../../parsing/json.js';
import {
  contentKey,
  deliveryEvent,
  eventKey,
  unitsOf,
  unreadableEvent,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { fromEpochSeconds, fromIso } from '../../parsing/timestamp.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import type { SourceSettings } from '../provider.js';
import { FEEDBACK_TYPES, mappingFor, type Mapping } from '../../policy/mapping.js';
import { emailIdOf } from '../../parsing/email-id.js';
import { BOUNCE_CLASSES, EVENTS, LIST_EVENTS } from './mapping.js';

/** Always an array, of events in wrappers: `{"msys":{"message_event":{…}}}`. SparkPost tests a new webhook with `{"msys":{}}`. */
export function readSparkpost(body: unknown, source: SourceSettings): DeliveryEvent[] {
  return requireArray(body)
    .filter((element) => !isPing(element))
    .map((element) => readEvent(element, source));
}

function isPing(element: unknown): boolean {
  const wrappers = valueAt(element, 'msys');
  return isObject(wrappers) && Object.keys(wrappers).length === 0;
}

function readEvent(element: unknown, { options }: SourceSettings): DeliveryEvent {
  const wrappers = valueAt(element, 'msys');
  const event = isObject(wrappers) ? Object.values(wrappers)[0] : undefined;
  const type = stringAt(event, 'type');
  if (type === undefined) {
    return unreadableEvent(element);
  }
  const field = EMAIL_ID_FIELD.of(options);
  const eventId = textAt(event, 'event_id');
  const messageId = textAt(event, 'message_id');
  const timestamp = textAt(event, 'timestamp');
  const lists = LIST_EVENTS.has(type) ? unitsOf('list', textAt(event, 'list_id')) : [];
  const bounce = { diagnostic: (stringAt(event, 'raw_reason') || stringAt(event, 'reason')) ?? null };
  return deliveryEvent({
    key: eventId ? eventKey(eventId) : contentKey(element),
    // The original spelling; SparkPost normalizes `rcpt_to`.
    recipient: stringAt(event, 'raw_rcpt_to') ?? stringAt(event, 'rcpt_to'),
    emailId: emailIdOf({
      own: field && textAt(event, 'rcpt_meta', field),
      provider: 'sparkpost',
      idKind: 'message_id',
      id: messageId,
    }),
    rawMessageId: messageId ?? null,
    occurredAt: fromEpochSeconds(timestamp) ?? fromIso(timestamp),
    units: lists,
    ...bounce,
    ...(lists.length > 0 ? mappingFor(LIST_EVENTS, type) : mappingOf(type, event))(bounce),
  });
}

function mappingOf(type: string, event: unknown): Mapping {
  switch (type) {
    case 'bounce':
    case 'out_of_band':
      return mappingFor(BOUNCE_CLASSES, textAt(event, 'bounce_class'));
    case 'spam_complaint':
      return mappingFor(FEEDBACK_TYPES, stringAt(event, 'fbtype')?.toLowerCase() ?? '');
    default:
      return mappingFor(EVENTS, type);
  }
}
