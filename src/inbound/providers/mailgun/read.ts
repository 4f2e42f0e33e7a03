import {
  booleanAt,
  numberAt,
  requireObject,
  stringAt,
  stringsAt,
  textAt,
  valueAt,
} from '../../parsing/json.js';
import {
  contentKey,
  deliveryEvent,
  eventKey,
  unitsOf,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { MalformedBodyError } from '../../parsing/errors.js';
import { fromEpochSeconds } from '../../parsing/timestamp.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import type { SourceSettings } from '../provider.js';
import { mappingFor, type Mapping } from '../../policy/mapping.js';
import { emailIdOf, withoutBrackets } from '../../parsing/email-id.js';
import { DELAYED_BOUNCE, EVENTS, FAILURES, OWN_CODES, TEMPORARY, TEST_MODE } from './mapping.js';

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads: one event in a body. */
export function readMailgun(body: unknown, { options }: SourceSettings): DeliveryEvent[] {
  const event = valueAt(requireObject(body), 'event-data');
  const type = stringAt(event, 'event');
  if (type === undefined) {
    throw new MalformedBodyError('it must have an event in event-data');
  }
  const field = EMAIL_ID_FIELD.of(options);
  const messageId = withoutBrackets(stringAt(event, 'message', 'headers', 'message-id'));
  const bounce = { status: statusOf(event), diagnostic: diagnosticOf(event) };
  const report = {
    key: keyOf(event),
    recipient: stringAt(event, 'recipient'),
    emailId: emailIdOf({
      own: field && textAt(event, 'user-variables', field),
      provider: 'mailgun',
      idKind: 'message-id',
      id: messageId,
    }),
    rawMessageId: messageId ?? null,
    occurredAt: fromEpochSeconds(numberAt(event, 'timestamp')),
    units: type === 'unsubscribed' ? unitsOf('tag', ...stringsAt(event, 'tags')) : [],
    ...bounce,
    ...mappingOf(type, event)(bounce),
  };
  const isTest = booleanAt(event, 'flags', 'is-test-mode') === true;
  return [deliveryEvent(isTest ? { ...report, effect: 'none', reason: TEST_MODE } : report)];
}

/** The id is unique within a day only. */
function keyOf(event: unknown): string {
  const id = stringAt(event, 'id');
  return id ? eventKey(id, textAt(event, 'timestamp') ?? '-') : contentKey(event);
}

function mappingOf(type: string, event: unknown): Mapping {
  if (type !== 'failed') {
    return mappingFor(EVENTS, type);
  }
  if (stringAt(event, 'severity') !== 'permanent') {
    return TEMPORARY;
  }
  const reason = stringAt(event, 'reason');
  const isDelayedBounce = reason === 'generic' && booleanAt(event, 'flags', 'is-delayed-bounce') === true;
  const ownCode = OWN_CODES.get(textAt(event, 'delivery-status', 'code') ?? '');
  return ownCode ?? (isDelayedBounce ? DELAYED_BOUNCE : mappingFor(FAILURES, reason));
}

function statusOf(event: unknown): string | null {
  const codes = ['enhanced-code', 'bounce-code'].map((name) => stringAt(event, 'delivery-status', name));
  return codes.find(Boolean) ?? null;
}

/** The field that has the response of the server depends on when it failed. */
function diagnosticOf(event: unknown): string | null {
  const texts = ['message', 'description'].map((name) => stringAt(event, 'delivery-status', name));
  return texts.filter(Boolean).join('\n') || null;
}
