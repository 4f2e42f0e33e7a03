import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { isObject, requireArray, stringAt, textAt, valueAt } from '../parsing/json.js';
import { contentKey, deliveryEvent, eventKey, unitsOf, unreadableEvent } from '../parsing/report.js';
import { fromEpochSeconds, fromIso } from '../parsing/timestamp.js';
import {
  byDiagnostic,
  FEEDBACK_TYPES,
  ignore,
  mappingFor,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  type Mapping,
} from '../policy/mapping.js';
import { CREDENTIAL, verifyCredential } from './proof.js';
import { EMAIL_ID_FIELD, UNREPORTED, type Provider, type SourceSettings } from './provider.js';

/** https://support.sparkpost.com/docs/user-guide/using-suppression-lists */
const LIST = { name: "SparkPost's suppression list", path: 'Recipients > Suppressions' };

/** SparkPost, by its event webhooks, which are not signed: https://developers.sparkpost.com/api/webhooks/ */
export const sparkpost = {
  name: 'sparkpost',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD],
  units: ['list'],
  setup: [
    'In SparkPost, open Configuration > Webhooks and create a webhook with this URL as its target.',
    'Set the authentication to Basic, with the username and the password of this source.',
    'Select bounce, out_of_band, spam_complaint, list_unsubscribe, link_unsubscribe and delivery.',
  ],
  suppressionLists: { bounce: LIST, complaint: LIST, unsubscribe: LIST, manual: UNREPORTED },
  verify: verifyCredential,
  read: readSparkpost,
} as const satisfies Provider;

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
  const field = options.emailIdField;
  const own = field && textAt(event, 'rcpt_meta', field);
  const eventId = textAt(event, 'event_id');
  const messageId = textAt(event, 'message_id');
  const timestamp = textAt(event, 'timestamp');
  const lists = LIST_EVENTS.has(type) ? unitsOf('list', textAt(event, 'list_id')) : [];
  const bounce = { diagnostic: diagnosticOf(event) };
  return deliveryEvent({
    key: eventId ? eventKey(eventId) : contentKey(element),
    // The original spelling; SparkPost normalizes `rcpt_to`.
    recipient: stringAt(event, 'raw_rcpt_to') ?? stringAt(event, 'rcpt_to'),
    mail: { own, provider: 'sparkpost', idKind: 'message_id', id: messageId },
    occurredAt: fromEpochSeconds(timestamp) ?? fromIso(timestamp),
    units: lists,
    ...bounce,
    ...(lists.length > 0 ? mappingFor(LIST_EVENTS, type) : mappingOf(type, event))(bounce),
  });
}

function diagnosticOf(event: unknown): string | null {
  return (stringAt(event, 'raw_reason') || stringAt(event, 'reason')) ?? null;
}

function mappingOf(type: string, event: unknown): Mapping {
  switch (type) {
    case 'bounce':
    case 'out_of_band':
      return bounceMapping(event);
    case 'spam_complaint':
      return mappingFor(FEEDBACK_TYPES, stringAt(event, 'fbtype')?.toLowerCase() ?? '');
    default:
      return mappingFor(EVENTS, type);
  }
}

function bounceMapping(event: unknown): Mapping {
  const bounceClass = textAt(event, 'bounce_class');
  const listed = bounceClass === REFUSED ? listedMapping(event) : undefined;
  return listed ?? mappingFor(BOUNCE_CLASSES, bounceClass);
}

/** An address can also be listed for the email of a single list of recipients. */
function listedMapping(event: unknown): Mapping | undefined {
  const [, reason = ''] = LISTED.exec(diagnosticOf(event) ?? '') ?? [];
  return textAt(event, 'list_id') === undefined ? LISTED_FOR.get(reason.toLowerCase()) : undefined;
}

/** https://developers.sparkpost.com/api/webhooks/ */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  [
    'list_unsubscribe',
    suppress('unsubscribe', 'The recipient used the unsubscribe button of the mail program.'),
  ],
  ['link_unsubscribe', suppress('unsubscribe', 'The recipient used an unsubscribe link in the message.')],
  ['delivery', success('delivered', "The recipient's server accepted the message.")],
  ['delay', ignore('unknown', 'The message is delayed; SparkPost tries again.')],
  ['policy_rejection', ignore('unknown', 'SparkPost refused the message by its own policy.')],
]);

/**
 * Events about an email with a `List-Id`, by type. SparkPost suppresses the recipient for that list only:
 * https://developers.sparkpost.com/api/suppression-list/
 */
export const LIST_EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['list_unsubscribe', optOut('unsubscribe', 'The recipient left a list by the button of the mail program.')],
  ['link_unsubscribe', optOut('unsubscribe', 'The recipient left a list by a link in the message.')],
]);

const REFUSED = '25';
const LISTED = /\bsuppressed due to customer policy\W+(bounce|spam)\b/i;

/**
 * Bounces of the class 25 by the reason for which the address is on SparkPost's list. Without a reason, it may be there for some
 * mail only: https://support.sparkpost.com/docs/user-guide/using-suppression-lists
 */
export const LISTED_FOR: ReadonlyMap<string, Mapping> = new Map([
  ['bounce', suppressIfAbsent('bounce', 'SparkPost did not send: the address had bounced before.')],
  ['spam', suppressIfAbsent('complaint', 'SparkPost did not send: the recipient had complained before.')],
]);

/** Bounces by class: https://support.sparkpost.com/docs/deliverability/bounce-classification-codes */
export const BOUNCE_CLASSES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['1', byDiagnostic],
  ['10', suppress('bounce', 'SparkPost classifies the recipient as invalid.')],
  ['20', softByDiagnostic],
  ['21', softByDiagnostic],
  ['22', softByDiagnostic],
  ['23', ignore('bounce', 'The message was too large; the address may be fine.')],
  ['24', softByDiagnostic],
  ['25', ignore('bounce', 'SparkPost refused the message by the policy of the sender.')],
  ['30', suppress('bounce', 'SparkPost says that there is no such recipient.')],
  ['40', softByDiagnostic],
  ['50', ignore('bounce', 'The receiver blocked the message; the address may be fine.')],
  ['51', ignore('bounce', 'The sender was blocked as a source of spam; the address may be fine.')],
  ['52', ignore('bounce', 'The message was taken for spam; the address may be fine.')],
  ['53', ignore('bounce', 'The attachment was refused; the address may be fine.')],
  ['54', ignore('bounce', 'The receiver does not relay; the address may be fine.')],
  ['60', ignore('unknown', 'An automatic reply, not a bounce.')],
  ['70', softByDiagnostic],
  ['80', ignore('unknown', 'A request to subscribe, not a bounce.')],
  ['90', suppress('unsubscribe', 'The recipient asked to be unsubscribed.')],
  ['100', ignore('unknown', 'A challenge to the sender, not a bounce.')],
]);
