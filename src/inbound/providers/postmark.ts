import type { DeliveryEvent, DeliveryEventKind } from '../parsing/delivery-event.js';
import { MalformedBodyError, booleanAt, requireObject, stringAt, textAt, valueAt } from '../parsing/json.js';
import { contentKey, deliveryEvent, eventKey, unitsOf } from '../parsing/report.js';
import { fromIso } from '../parsing/timestamp.js';
import {
  byDiagnostic,
  ignore,
  lift,
  mappingFor,
  optIn,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  type Mapping,
} from '../policy/mapping.js';
import { CREDENTIAL, verifyCredential } from './proof.js';
import { EMAIL_ID_FIELD, type Provider, type SourceSettings } from './provider.js';

/** Only Postmark itself removes a complaint: https://postmarkapp.com/support/article/1157-how-to-fix-spam-complaints */
const LIST = {
  name: "Postmark's suppression list",
  path: 'the server > the message stream > Suppressions',
};

/** Postmark, by its webhooks, which are not signed: https://postmarkapp.com/developer/webhooks/webhooks-overview */
export const postmark = {
  name: 'postmark',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD],
  units: ['stream'],
  setup: [
    'In Postmark, open the message stream of the server, then Webhooks, and add a webhook with this URL. Repeat this for each stream.',
    'Enter the username and the password of this source as its basic auth credentials.',
    'Select Bounce, Spam Complaint, Subscription Change and Delivery. The content of the message is not needed.',
  ],
  suppressionLists: {
    bounce: LIST,
    complaint: { ...LIST, path: "a request to Postmark's support, when the recipient asks for it" },
    unsubscribe: LIST,
    manual: LIST,
  },
  verify: verifyCredential,
  read: readPostmark,
} as const satisfies Provider;

/** One record in a body, about one recipient. */
export function readPostmark(body: unknown, { options }: SourceSettings): DeliveryEvent[] {
  const type = stringAt(requireObject(body), 'RecordType');
  if (type === undefined) {
    throw new MalformedBodyError('it must have a RecordType');
  }
  const field = options.emailIdField;
  const own = field && textAt(body, 'Metadata', field);
  const messageId = stringAt(body, 'MessageID');
  const diagnostic = stringAt(body, 'Details') || stringAt(body, 'Description') || null;
  const classification = mappingOf(type, body)({ diagnostic });
  const streams = unitsOf('stream', stringAt(body, 'MessageStream'));
  const streamChange = streams.length > 0 ? STREAM_CHANGES.get(classification.kind) : undefined;
  const event = deliveryEvent({
    key: keyOf(type, body),
    recipient: stringAt(body, 'Email') ?? stringAt(body, 'Recipient'),
    mail: { own, provider: 'postmark', idKind: 'MessageID', id: messageId },
    occurredAt: occurredAt(body),
    diagnostic,
    ...(streamChange ? { units: streams, ...streamChange({}) } : classification),
  });
  return [event];
}

/**
 * Bounces and complaints have an id of 64 bits. JSON.parse rounds ids above 2^53, so several bounces can have the same rounded id.
 * A subscription change is identified by its content.
 */
function keyOf(type: string, body: unknown): string {
  const valuesOf = (...names: string[]) => names.map((name) => valueAt(body, name));
  const id = textAt(body, 'ID');
  if (id !== undefined) {
    const key = `${type}:${id}`;
    const isRounded = Number(id) > Number.MAX_SAFE_INTEGER;
    return isRounded ? contentKey([key, ...valuesOf('Type', 'MessageID', 'Email')]) : eventKey(key);
  }
  return contentKey(
    type === 'SubscriptionChange' ? valuesOf('MessageID', 'Recipient', 'ChangedAt', 'SuppressSending') : body,
  );
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

const NOT_A_BOUNCE = 'An answer to the message, not a bounce.';

/** By `RecordType`, for records whose type says it all: https://postmarkapp.com/developer/webhooks/webhooks-overview */
export const RECORDS: ReadonlyMap<string, Mapping> = new Map([
  ['SpamComplaint', suppress('complaint', 'The recipient marked the message as spam.')],
  ['Delivery', success('delivered', "The recipient's server accepted the message.")],
]);

/** Bounces by `Type`: https://postmarkapp.com/developer/api/bounce-api#bounce-types */
export const BOUNCES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['HardBounce', suppress('bounce', 'Postmark says that the mailbox or the domain does not exist.')],
  ['BadEmailAddress', suppress('bounce', 'Postmark says that the address is not valid.')],
  ['SpamComplaint', suppress('complaint', 'The recipient marked the message as spam.')],
  ['Unsubscribe', suppress('unsubscribe', 'The recipient asked to be unsubscribed.')],
  ['ManuallyDeactivated', suppress('manual', 'Somebody deactivated the address at Postmark.')],
  ['Transient', softByDiagnostic],
  ['SoftBounce', softByDiagnostic],
  ['DnsError', softByDiagnostic],
  ['Unknown', byDiagnostic],
  ['Blocked', ignore('bounce', 'The sender was blocked; the address may be fine.')],
  ['SpamNotification', ignore('bounce', 'The message was taken for spam; the address may be fine.')],
  ['VirusNotification', ignore('bounce', 'The message was taken for a virus; the address may be fine.')],
  ['DMARCPolicy', ignore('bounce', 'The message failed the DMARC policy of the sender.')],
  ['SMTPApiError', ignore('bounce', 'The request to Postmark was wrong.')],
  ['TemplateRenderingFailed', ignore('bounce', 'The template of the message was wrong.')],
  ['InboundError', ignore('unknown', 'It is about mail to Postmark, not from it.')],
  ['AutoResponder', ignore('unknown', NOT_A_BOUNCE)],
  ['ChallengeVerification', ignore('unknown', NOT_A_BOUNCE)],
  ['AddressChange', ignore('unknown', NOT_A_BOUNCE)],
  ['Subscribe', ignore('unknown', NOT_A_BOUNCE)],
  ['OpenRelayTest', ignore('unknown', NOT_A_BOUNCE)],
  ['Unconfirmed', ignore('unknown', 'The sender asked for a confirmation that did not come yet.')],
]);

/** `Inactive: true`: Postmark stopped mailing the address, whatever it calls the bounce. */
export const DEACTIVATED: Mapping = suppress('bounce', 'Postmark deactivated the address after a bounce.');

/** `SubscriptionChange` by reason and origin: https://postmarkapp.com/developer/webhooks/subscription-change-webhook */
export const SUPPRESSION_REASONS: ReadonlyMap<string, Mapping> = new Map([
  ['HardBounce', suppress('bounce', 'Postmark suppressed the address because of a hard bounce.')],
  ['SpamComplaint', suppress('complaint', 'Postmark suppressed the address because of a complaint.')],
  ['ManualSuppression/Recipient', suppress('unsubscribe', 'The recipient unsubscribed.')],
  ['ManualSuppression/Customer', suppress('manual', 'The sender suppressed the address at Postmark.')],
  ['ManualSuppression/Admin', suppress('manual', 'Postmark suppressed the address by hand.')],
]);

export const REACTIVATED: Mapping = lift('resubscribe', 'Postmark mails the address again.');

/**
 * Events that name their message stream, by kind. A suppression at Postmark covers one stream:
 * https://postmarkapp.com/developer/api/suppressions-api
 */
export const STREAM_CHANGES: ReadonlyMap<DeliveryEventKind, Mapping> = new Map([
  ['unsubscribe', optOut('unsubscribe', 'The recipient left a message stream.')],
  ['resubscribe', optIn('resubscribe', 'Postmark mails the address in the message stream again.')],
]);
