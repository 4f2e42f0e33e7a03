import { booleanAt, requireObject, stringAt, textAt, valueAt } from '../../parsing/json.js';
import {
  contentKey,
  deliveryEvent,
  eventKey,
  unitsOf,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { MalformedBodyError } from '../../parsing/errors.js';
import { fromIso } from '../../parsing/timestamp.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import type { SourceSettings } from '../provider.js';
import { mappingFor, type Mapping } from '../../policy/mapping.js';
import { emailIdOf } from '../../parsing/email-id.js';
import {
  BOUNCES,
  DEACTIVATED,
  REACTIVATED,
  RECORDS,
  STREAM_CHANGES,
  SUPPRESSION_REASONS,
} from './mapping.js';

/** One record in a body, about one recipient. */
export function readPostmark(body: unknown, { options }: SourceSettings): DeliveryEvent[] {
  const type = stringAt(requireObject(body), 'RecordType');
  if (type === undefined) {
    throw new MalformedBodyError('it must have a RecordType');
  }
  const field = EMAIL_ID_FIELD.of(options);
  const messageId = stringAt(body, 'MessageID');
  const diagnostic = stringAt(body, 'Details') || stringAt(body, 'Description') || null;
  const classification = mappingOf(type, body)({ diagnostic });
  const streams = unitsOf('stream', stringAt(body, 'MessageStream'));
  const streamChange = streams.length > 0 ? STREAM_CHANGES.get(classification.kind) : undefined;
  const event = deliveryEvent({
    key: keyOf(type, body),
    recipient: stringAt(body, 'Email') ?? stringAt(body, 'Recipient'),
    emailId: emailIdOf({
      own: field && textAt(body, 'Metadata', field),
      provider: 'postmark',
      idKind: 'MessageID',
      id: messageId,
    }),
    rawMessageId: messageId ?? null,
    occurredAt: occurredAt(body),
    diagnostic,
    ...(streamChange ? { units: streams, ...streamChange({}) } : classification),
  });
  return [event];
}

/** Bounces and complaints have an id; a subscription change is identified by its content. */
function keyOf(type: string, body: unknown): string {
  const id = textAt(body, 'ID');
  if (id !== undefined) {
    return eventKey(`${type}:${id}`);
  }
  const changed = ['MessageID', 'Recipient', 'ChangedAt', 'SuppressSending'].map((name) =>
    valueAt(body, name),
  );
  return contentKey(type === 'SubscriptionChange' ? changed : body);
}

function mappingOf(type: string, body: unknown): Mapping {
  switch (type) {
    case 'Bounce':
      return bounceMapping(body);
    case 'SubscriptionChange':
      return subscriptionMapping(body);
    default:
      return mappingFor(RECORDS, type);
  }
}

/** The type precedes `Inactive`, which says that Postmark stopped mailing the address, but not why. */
function bounceMapping(body: unknown): Mapping {
  const mapping = mappingFor(BOUNCES, stringAt(body, 'Type'));
  const isOpen = mapping({}).effect === 'watch';
  return booleanAt(body, 'Inactive') === true && isOpen ? DEACTIVATED : mapping;
}

function subscriptionMapping(body: unknown): Mapping {
  const isSuppressed = booleanAt(body, 'SuppressSending');
  const reason = stringAt(body, 'SuppressionReason');
  const origin = stringAt(body, 'Origin');
  if (isSuppressed === false) {
    return REACTIVATED;
  }
  const name = reason === 'ManualSuppression' ? `${reason}/${origin}` : reason;
  return mappingFor(SUPPRESSION_REASONS, isSuppressed === true ? name : undefined);
}

function occurredAt(body: unknown): Date | null {
  const fields = ['BouncedAt', 'ChangedAt', 'DeliveredAt'];
  return fromIso(fields.map((field) => stringAt(body, field)).find((text) => text !== undefined));
}
