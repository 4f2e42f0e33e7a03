import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { numberAt, requireOneOrMany, stringAt, textAt, valueAt } from '../parsing/json.js';
import { deliveryEvent, fieldOfText, partsKey, unreadableEvent, withoutBrackets } from '../parsing/report.js';
import { fromEpochMilliseconds, fromEpochSeconds } from '../parsing/timestamp.js';
import {
  byDiagnostic,
  hardUnlessBlocked,
  ignore,
  mappingFor,
  success,
  suppress,
  suppressIfAbsent,
  type Mapping,
} from '../policy/mapping.js';
import { CREDENTIAL, verifyCredential } from './proof.js';
import { EMAIL_ID_FIELD, type Provider, type SourceSettings } from './provider.js';

/** Its reasons: https://developers.brevo.com/reference/get-transac-blocked-contacts */
const LIST = {
  name: "Brevo's blocklist",
  path: 'Contacts > the contact > Subscriptions > Transactional emails',
};

/** Brevo, by its transactional webhooks, which are not signed: https://developers.brevo.com/docs/transactional-webhooks */
export const brevo = {
  name: 'brevo',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD],
  setup: [
    'In Brevo, open the webhooks of transactional emails and add a webhook with this URL.',
    'Put the username and the password of this source into the URL, or give the password as a bearer token.',
    'Select hard bounce, soft bounce, invalid email, blocked, complaint, unsubscribed and delivered.',
  ],
  suppressionLists: { bounce: LIST, complaint: LIST, unsubscribe: LIST, manual: LIST },
  verify: verifyCredential,
  read: readBrevo,
} as const satisfies Provider;

/** These fields and the timestamp identify an event; `id` is the id of the webhook. */
const KEY_FIELDS = ['event', 'email', 'message-id'];
/** Timestamps, best first. Some are in the time zone of the account, which does not matter for a key. */
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
  const field = options.emailIdField;
  const own = field && fieldOfText(textAt(event, CUSTOM_FIELD), field);
  const diagnostic = stringAt(event, 'reason') ?? null;
  return deliveryEvent({
    key: keyOf(event),
    recipient: stringAt(event, 'email'),
    mail: { own, provider: 'brevo', idKind: 'message-id', id: messageId },
    occurredAt: occurredAt(event),
    diagnostic,
    ...mappingFor(EVENTS, type)({ diagnostic }),
  });
}

/** In seconds, it is the year 5138; in milliseconds, 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/**
 * Unlike the other timestamps, `ts_epoch` and `ts_event` are in UTC: https://developers.brevo.com/docs/marketing-webhooks. Events
 * of campaigns have only the latter. Brevo documents milliseconds for the former, but half of its examples are in seconds.
 */
function occurredAt(event: unknown): Date | null {
  const time = numberAt(event, 'ts_epoch') ?? numberAt(event, 'ts_event');
  return time !== undefined && time < FIRST_MILLISECONDS
    ? fromEpochSeconds(time)
    : fromEpochMilliseconds(time);
}

function keyOf(event: unknown): string {
  const timestamp = TIMESTAMP_FIELDS.map((field) => textAt(event, field)).find(Boolean);
  return partsKey(event, [...KEY_FIELDS.map((field) => valueAt(event, field)), timestamp], timestamp);
}

const COMPLAINT = suppress('complaint', 'The recipient marked the message as spam.');
const UNSUBSCRIBE = suppress('unsubscribe', 'The recipient unsubscribed.');

/** https://developers.brevo.com/docs/transactional-webhooks */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['hard_bounce', hardUnlessBlocked('Brevo calls the bounce hard.')],
  // Soft bounces include domains without a mail server.
  ['soft_bounce', byDiagnostic],
  ['invalid_email', suppress('bounce', 'Brevo says that the address is not valid.')],
  // It does not say why. A complaint or an unsubscribe must not expire, or be lifted, as a bounce.
  ['blocked', suppressIfAbsent('manual', 'Brevo did not send: the address was on its blocklist already.')],
  ['spam', COMPLAINT],
  ['complaint', COMPLAINT],
  ['unsubscribe', UNSUBSCRIBE],
  ['unsubscribed', UNSUBSCRIBE],
  ['delivered', success('delivered', "The recipient's server accepted the message.")],
  ['deferred', ignore('unknown', 'The message is delayed; Brevo tries again.')],
  ['error', ignore('unknown', 'Brevo could not send; that says nothing about the address.')],
]);
