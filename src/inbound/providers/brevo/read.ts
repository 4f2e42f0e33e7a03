import { numberAt, requireOneOrMany, stringAt, textAt, valueAt } from '../../parsing/json.js';
import {
  deliveryEvent,
  partsKey,
  unreadableEvent,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { fromEpochMilliseconds } from '../../parsing/timestamp.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import type { SourceSettings } from '../provider.js';
import { mappingFor } from '../../policy/mapping.js';
import { fieldOfText, emailIdOf, withoutBrackets } from '../../parsing/email-id.js';
import { EVENTS } from './mapping.js';

/** These fields and the timestamp identify an event; `id` is the id of the webhook. */
const KEY_FIELDS = ['event', 'email', 'message-id'];
/** Best first. All but the first may be in the time zone of the account, which does not matter for a key. */
const TIMESTAMP_FIELDS = ['ts_epoch', 'ts_event', 'ts', 'date', 'date_event'];
const CUSTOM_FIELD = 'X-Mailin-custom';

/** One event, or an array of them when the webhook is batched. */
export function readBrevo(body: unknown, source: SourceSettings): DeliveryEvent[] {
  return requireOneOrMany(body).map((event) => readEvent(event, source));
}

function readEvent(event: unknown, { options }: SourceSettings): DeliveryEvent {
  const type = stringAt(event, 'event');
  if (type === undefined) {
    return unreadableEvent(event);
  }
  const messageId = withoutBrackets(stringAt(event, 'message-id'));
  const field = EMAIL_ID_FIELD.of(options);
  const custom = textAt(event, CUSTOM_FIELD);
  const diagnostic = stringAt(event, 'reason') ?? null;
  return deliveryEvent({
    key: keyOf(event),
    recipient: stringAt(event, 'email'),
    emailId: emailIdOf({
      own: field && fieldOfText(custom, field),
      provider: 'brevo',
      idKind: 'message-id',
      id: messageId,
    }),
    rawMessageId: messageId ?? null,
    // The other timestamps are in the time zone of the account, which they do not name.
    occurredAt: fromEpochMilliseconds(numberAt(event, 'ts_epoch')),
    diagnostic,
    ...mappingFor(EVENTS, type)({ diagnostic }),
  });
}

function keyOf(event: unknown): string {
  const timestamp = TIMESTAMP_FIELDS.map((field) => textAt(event, field)).find(Boolean);
  return partsKey(event, [...KEY_FIELDS.map((field) => valueAt(event, field)), timestamp], timestamp);
}
