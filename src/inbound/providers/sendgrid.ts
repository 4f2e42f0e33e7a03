import { createPublicKey, verify as verifySignature, type KeyObject } from 'node:crypto';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { numberAt, requireArray, stringAt, textAt } from '../parsing/json.js';
import { contentKey, deliveryEvent, eventKey, unitsOf, unreadableEvent } from '../parsing/report.js';
import { fromEpochSeconds } from '../parsing/timestamp.js';
import {
  byDiagnostic,
  ignore,
  mappingFor,
  optIn,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  type Mapping,
} from '../policy/mapping.js';
import { BadSignatureError, epochSeconds, headerOf, requireFresh, secretOf } from './proof.js';
import {
  EMAIL_ID_FIELD,
  UNREPORTED,
  type InboundRequest,
  type Provider,
  type SourceOptions,
  type SourceSettings,
  type Verified,
} from './provider.js';

/** SendGrid, by its Event Webhook: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export const sendgrid = {
  name: 'sendgrid',
  secrets: [
    {
      name: 'verification_key',
      description: 'The public key that SendGrid shows once the Signed Event Webhook is enabled.',
      generatedBy: 'provider',
      problemWith: problemWithVerificationKey,
    },
  ],
  options: [EMAIL_ID_FIELD],
  units: ['group'],
  setup: [
    'In SendGrid, open Settings > Mail Settings > Event Webhooks and create a webhook with this URL.',
    'Select Bounced, Dropped, Delivered, Spam Reports, Unsubscribes, Group Unsubscribes and Group Resubscribes.',
    'Enable the Signed Event Webhook.',
  ],
  suppressionLists: {
    bounce: { name: "SendGrid's bounce list", path: 'Suppressions > Bounces, or Suppressions > Invalid' },
    complaint: { name: "SendGrid's list of spam reports", path: 'Suppressions > Spam Reports' },
    unsubscribe: { name: "SendGrid's list of unsubscribes", path: 'Suppressions > Global Unsubscribes' },
    manual: UNREPORTED,
  },
  verify: verifySendgrid,
  read: readSendgrid,
} as const satisfies Provider;

/** SendGrid retries for 24 hours, and does not document whether it signs each attempt again. */
const MAX_AGE_SECONDS = 24 * 60 * 60;
const SIGNATURE_HEADER = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP_HEADER = 'x-twilio-email-event-webhook-timestamp';
const PEM_LINE = /-----[A-Z ]+-----|\s/g;

/**
 * ECDSA on P-256 with SHA-256 over the timestamp and the body:
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
export async function verifySendgrid(request: InboundRequest, source: SourceSettings): Promise<Verified> {
  const { rawBody, headers, receivedAt } = request;
  const timestamp = headerOf(headers, TIMESTAMP_HEADER);
  const signature = headerOf(headers, SIGNATURE_HEADER);
  const key = publicKeyIn(secretOf(source, 'verification_key'));
  if (!signature || !key) {
    throw new BadSignatureError(key ? 'it has no signature' : 'the verification key of the source is no key');
  }
  requireFresh(epochSeconds(timestamp), receivedAt, MAX_AGE_SECONDS);
  const signed = Buffer.concat([Buffer.from(String(timestamp)), rawBody]);
  if (!verifySignature('sha256', signed, key, Buffer.from(signature, 'base64'))) {
    throw new BadSignatureError('its signature does not match');
  }
  return {};
}

export function problemWithVerificationKey(value: string): string | undefined {
  return publicKeyIn(value)
    ? undefined
    : 'The verification key is a public key of the curve P-256 in base64.';
}

/** In base64, as SendGrid displays it, or as PEM. */
function publicKeyIn(text: string): KeyObject | undefined {
  try {
    const der = Buffer.from(text.replace(PEM_LINE, ''), 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

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
  const field = options.emailIdField;
  const own = field && textAt(event, field);
  const eventId = stringAt(event, 'sg_event_id');
  const messageId = stringAt(event, 'sg_message_id');
  const bounce = { status: stringAt(event, 'status') ?? null, diagnostic: stringAt(event, 'reason') ?? null };
  return deliveryEvent({
    key: eventId ? eventKey(eventId) : contentKey(event),
    recipient: stringAt(event, 'email'),
    mail: { own, provider: 'sendgrid', idKind: 'sg_message_id', id: messageId?.replace(ATTEMPT_SUFFIX, '') },
    rawMessageId: messageId,
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
        : (CLASSIFICATIONS.get(stringAt(event, 'bounce_classification')?.toLowerCase() ?? '') ??
            byDiagnostic);
    case 'dropped':
      return dropMapping(stringAt(event, 'reason')?.toLowerCase(), groupOf(event));
    case 'group_unsubscribe':
    case 'group_resubscribe':
      return mappingFor(GROUP_EVENTS, groupOf(event) === undefined ? undefined : type);
    default:
      return mappingFor(EVENTS, type);
  }
}

/** A drop does not say whether the recipient had left the group of the message, or all mail. */
function dropMapping(reason: string | undefined, group: string | undefined): Mapping {
  return reason === UNSUBSCRIBED && group !== undefined ? LEFT_GROUP : mappingFor(DROP_REASONS, reason);
}

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['delivered', success('delivered', "The recipient's server accepted the message.")],
  ['deferred', ignore('unknown', 'The message is delayed; SendGrid tries again.')],
  ['spamreport', suppress('complaint', 'The recipient marked the message as spam.')],
  ['unsubscribe', suppress('unsubscribe', 'The recipient unsubscribed.')],
]);

const TOO_FAST = ignore('bounce', 'The sender was too fast; the address may be fine.');

/**
 * Bounces by `bounce_classification` in lower case. Some have another name in the API than in the guide:
 * https://www.twilio.com/docs/sendgrid/ui/analytics-and-reporting/bounce-and-block-classifications. For others, such as
 * "Mailbox Unavailable" and "Unclassified", the words of the receiving server decide.
 */
export const CLASSIFICATIONS: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['invalid address', suppress('bounce', 'SendGrid classifies the address as invalid.')],
  ['content', ignore('bounce', 'The content was refused; the address may be fine.')],
  ['reputation', ignore('bounce', 'The sender was refused; the address may be fine.')],
  ['frequency/volume', TOO_FAST],
  ['frequency/volume too high', TOO_FAST],
  ['frequency or volume too high', TOO_FAST],
  ['technical', softByDiagnostic],
  ['technical failure', softByDiagnostic],
]);

/** `type: blocked`: a refusal that SendGrid does not put on its list. */
export const BLOCKED: Mapping = softByDiagnostic;

const UNSUBSCRIBED = 'unsubscribed address';

/** `dropped` by its reason in lower case. */
export const DROP_REASONS: ReadonlyMap<string, Mapping> = new Map([
  ['bounced address', suppressIfAbsent('bounce', 'SendGrid did not send: the address had bounced before.')],
  [
    'invalid',
    suppressIfAbsent('bounce', 'SendGrid did not send: the address is on its list of invalid ones.'),
  ],
  [
    'spam reporting address',
    suppressIfAbsent('complaint', 'SendGrid did not send: the recipient had complained before.'),
  ],
  [
    UNSUBSCRIBED,
    suppressIfAbsent('unsubscribe', 'SendGrid did not send: the recipient had unsubscribed before.'),
  ],
  ['spam content', ignore('bounce', 'SendGrid refused the content; the address may be fine.')],
  ['invalid smtpapi header', ignore('bounce', 'The request was wrong; the address may be fine.')],
  ['recipient list over package quota', ignore('bounce', 'The quota of the sender is used up.')],
]);

/** A message of an unsubscribe group that was dropped because the recipient had unsubscribed. */
export const LEFT_GROUP: Mapping = ignore(
  'unsubscribe',
  'SendGrid did not send: the recipient had left the unsubscribe group of the message, or all mail.',
);

/** Events of an unsubscribe group, which covers one kind of mail. */
export const GROUP_EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['group_unsubscribe', optOut('unsubscribe', 'The recipient left an unsubscribe group.')],
  ['group_resubscribe', optIn('resubscribe', 'The recipient joined the unsubscribe group again.')],
]);
