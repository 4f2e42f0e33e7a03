import { createHmac } from 'node:crypto';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import {
  MalformedBodyError,
  booleanAt,
  numberAt,
  parseJson,
  requireObject,
  stringAt,
  stringsAt,
  textAt,
  valueAt,
} from '../parsing/json.js';
import { contentKey, deliveryEvent, eventKey, unitsOf, withoutBrackets } from '../parsing/report.js';
import { fromEpochSeconds } from '../parsing/timestamp.js';
import {
  byDiagnostic,
  ignore,
  mappingFor,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  type Mapping,
} from '../policy/mapping.js';
import {
  BadSignatureError,
  epochSeconds,
  equalInConstantTime,
  hardToGuess,
  headerOf,
  LegacyWebhookError,
  requireFresh,
  secretOf,
} from './proof.js';
import {
  EMAIL_ID_FIELD,
  UNREPORTED,
  type InboundRequest,
  type Provider,
  type SourceSettings,
  type Verified,
} from './provider.js';

/** Mailgun, by its webhooks: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks */
export const mailgun = {
  name: 'mailgun',
  secrets: [
    {
      name: 'signing_key',
      description: 'The HTTP webhook signing key of the Mailgun account.',
      generatedBy: 'provider',
      // Mailgun does not document the format of its keys.
      problemWith: hardToGuess('signing_key'),
    },
  ],
  options: [EMAIL_ID_FIELD],
  units: ['tag'],
  setup: [
    'In Mailgun, open Sending > Webhooks of the domain and add this URL. It must begin with https, since the body is not signed.',
    'Select Permanent Failure, Spam Complaints, Unsubscribes and Delivered Messages.',
    'An unsubscribe stops all mail but transactional mail. If messages with a tag have no link but %tag_unsubscribe_url%, map the tag to a topic.',
  ],
  suppressionLists: {
    bounce: { name: "Mailgun's bounce list", path: 'Sending > Suppressions > Bounces, for the domain' },
    complaint: {
      name: "Mailgun's complaint list",
      path: 'Sending > Suppressions > Complaints, for the domain',
    },
    unsubscribe: {
      name: "Mailgun's unsubscribe list",
      path: 'Sending > Suppressions > Unsubscribes, for the domain',
    },
    manual: UNREPORTED,
  },
  verify: verifyMailgun,
  read: readMailgun,
} as const satisfies Provider;

/** Mailgun retries for eight hours, and does not document whether it signs each attempt again. */
const MAX_AGE_SECONDS = 9 * 60 * 60;
const TOKEN = /^[\x21-\x7e]{16,128}$/;
/** A webhook with attachments, such as the returned email, is multipart. */
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * HMAC-SHA256 over the timestamp and a token, which is good for one event at one source:
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 *
 * @throws {LegacyWebhookError} if the webhook is a form, so that Mailgun stops retrying. It is not read, because a form of 2 MiB
 *   takes a quarter of a second of CPU time.
 */
export async function verifyMailgun(
  { rawBody, headers, receivedAt }: InboundRequest,
  source: SourceSettings,
): Promise<Verified> {
  if (FORM.test(headerOf(headers, 'content-type') ?? '')) {
    throw new LegacyWebhookError();
  }
  const proof = valueAt(parseJson(rawBody), 'signature');
  const timestamp = textAt(proof, 'timestamp');
  const token = textAt(proof, 'token');
  requireFresh(epochSeconds(timestamp), receivedAt, MAX_AGE_SECONDS);
  if (!token || !TOKEN.test(token)) {
    throw new BadSignatureError('it has no valid token');
  }
  const key = secretOf(source, 'signing_key');
  const expected = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
  // The event of a subaccount carries the signature of the main account besides its own.
  const given = [textAt(proof, 'signature'), textAt(proof, 'parent-signature')];
  if (!given.some((signature) => equalInConstantTime(signature?.toLowerCase() ?? '', expected))) {
    throw new BadSignatureError('its signature does not match');
  }
  return { singleUseToken: singleUseTokenOf(key, token) };
}

/** The same for every source with this signing key. It cannot be a signature, because signed texts begin with ten digits. */
function singleUseTokenOf(key: string, token: string): string {
  return createHmac('sha256', key).update(`once ${token}`).digest('hex');
}

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads: one event in a body. */
export function readMailgun(body: unknown, { options }: SourceSettings): DeliveryEvent[] {
  const event = valueAt(requireObject(body), 'event-data');
  const type = stringAt(event, 'event');
  if (type === undefined) {
    throw new MalformedBodyError('it must have an event in event-data');
  }
  const field = options.emailIdField;
  const own = field && textAt(event, 'user-variables', field);
  const messageId = withoutBrackets(stringAt(event, 'message', 'headers', 'message-id'));
  const bounce = { status: statusOf(event), diagnostic: diagnosticOf(event) };
  const answered = [replyCodeOf(event), bounce.diagnostic].filter(Boolean).join(' ');
  const classification = mappingOf(type, event)({ ...bounce, diagnostic: answered });
  const report = {
    key: keyOf(event),
    recipient: stringAt(event, 'recipient'),
    mail: { own, provider: 'mailgun', idKind: 'message-id', id: messageId },
    occurredAt: fromEpochSeconds(numberAt(event, 'timestamp')),
    units: classification.kind === 'unsubscribe' ? unitsOf('tag', ...stringsAt(event, 'tags')) : [],
    ...bounce,
    ...classification,
  };
  const isTest = booleanAt(event, 'flags', 'is-test-mode') === true;
  return [deliveryEvent(isTest ? { ...report, effect: 'none', reason: TEST_MODE } : report)];
}

/** The id of an event is unique only within a day. */
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
  return codes.find(Boolean) ?? (replyCodeOf(event) ? '5.0.0' : null);
}

/** The code with which the server refused the mail. The texts may lack it. */
function replyCodeOf(event: unknown): string | undefined {
  const code = textAt(event, 'delivery-status', 'code');
  return code && /^5[0-5]\d$/.test(code) ? code : undefined;
}

/** Which field has the response of the server depends on when the delivery failed. */
function diagnosticOf(event: unknown): string | null {
  const texts = ['message', 'description'].map((name) => stringAt(event, 'delivery-status', name));
  return texts.filter(Boolean).join('\n') || null;
}

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['complained', suppress('complaint', 'The recipient marked the message as spam.')],
  [
    'unsubscribed',
    suppress('unsubscribe', 'The recipient unsubscribed. Mailgun does not report from which mail.'),
  ],
  ['delivered', success('delivered', "The recipient's server accepted the message.")],
]);

const BOUNCED_BEFORE = suppressIfAbsent('bounce', 'Mailgun did not send: the address had bounced before.');
const COMPLAINED_BEFORE = suppressIfAbsent(
  'complaint',
  'Mailgun did not send: the recipient had complained.',
);
const UNSUBSCRIBED_BEFORE = suppressIfAbsent(
  'unsubscribe',
  'Mailgun did not send: the recipient had unsubscribed.',
);

/** Permanent failures by reason. `permanent` means that Mailgun does not retry, not that the mailbox does not exist. */
export const FAILURES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['bounce', byDiagnostic],
  ['generic', softByDiagnostic],
  ['old', softByDiagnostic],
  ['greylisted', softByDiagnostic],
  ['espblock', ignore('bounce', 'The sender was blocked; the address may be fine.')],
  ['suppress-bounce', BOUNCED_BEFORE],
  ['suppress-complaint', COMPLAINED_BEFORE],
  ['suppress-unsubscribe', UNSUBSCRIBED_BEFORE],
]);

/** A bounce that arrived as an email after a server had accepted the message has the reason `generic`. */
export const DELAYED_BOUNCE: Mapping = byDiagnostic;

/** Mailgun's own codes in place of SMTP reply codes. */
export const OWN_CODES: ReadonlyMap<string, Mapping> = new Map([
  ['605', BOUNCED_BEFORE],
  ['606', UNSUBSCRIBED_BEFORE],
  ['607', COMPLAINED_BEFORE],
]);

export const TEMPORARY: Mapping = ignore('unknown', 'The message is delayed; Mailgun tries again.');
export const TEST_MODE = 'The message was sent in test mode, to nobody.';
