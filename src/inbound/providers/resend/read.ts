import type { IncomingHttpHeaders } from 'node:http';
import { domainOf, InvalidEmailAddress, parseEmailAddress } from '../../../email-address/email-address.js';
import type { DeliveryEvent } from '../../parsing/delivery-event.js';
import {
  MalformedBodyError,
  booleanAt,
  elementsAt,
  requireFew,
  requireObject,
  stringAt,
  stringsAt,
} from '../../parsing/json.js';
import { addressOf, contentKey, deliveryEvent, eventKey, unitsOf } from '../../parsing/report.js';
import { fromIso } from '../../parsing/timestamp.js';
import { byDiagnostic, mappingFor, type Mapping } from '../../policy/mapping.js';
import { headerOf } from '../proof.js';
import type { SourceSettings } from '../provider.js';
import { BOUNCES, EVENTS, NO_TOPIC, ORIGINS, SUBSCRIPTIONS, UNSUBSCRIBED } from './mapping.js';

/**
 * A header of Standard Webhooks (https://www.standardwebhooks.com): `webhook-*`, or `svix-*`, which Resend sends.
 */
export function webhookHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  return headerOf(headers, `svix-${name}`) ?? headerOf(headers, `webhook-${name}`);
}

/** One event in a body: https://resend.com/docs/webhooks/event-types */
export function readResend(
  body: unknown,
  source: SourceSettings,
  headers: IncomingHttpHeaders,
): DeliveryEvent[] {
  const type = stringAt(requireObject(body), 'type');
  if (type === undefined) {
    throw new MalformedBodyError('it must have a type');
  }
  const key = webhookHeader(headers, 'id') ?? contentKey(body);
  if (type.startsWith('email.')) {
    return readEmailEvent(type, key, body, source);
  }
  return type === 'contact.topics.updated' ? readTopics(key, body) : [readAddressEvent(type, key, body)];
}

/** One event for each topic that the contact changed. */
function readTopics(key: string, body: unknown): DeliveryEvent[] {
  const recipient = stringAt(body, 'data', 'email');
  const occurredAt = fromIso(stringAt(body, 'created_at'));
  const subscriptions = new Map(
    requireFew(elementsAt(body, 'data', 'topics')).map((topic) => [
      stringAt(topic, 'id'),
      stringAt(topic, 'subscription'),
    ]),
  );
  const changes = [...subscriptions].map(([id, subscription]) => {
    const units = unitsOf('topic', id);
    const mapping = units.length === 0 ? NO_TOPIC : mappingFor(SUBSCRIPTIONS, subscription);
    return { key: eventKey(key, recipient ?? '', id ?? ''), units, ...mapping({}) };
  });
  const nothing = { key: eventKey(key, recipient ?? ''), ...NO_TOPIC({}) };
  return (changes.length > 0 ? changes : [nothing]).map((change) =>
    deliveryEvent({ recipient, occurredAt, ...change }),
  );
}

/** Events that name the one address they are about. */
function readAddressEvent(type: string, key: string, body: unknown): DeliveryEvent {
  const recipient = stringAt(body, 'data', 'email');
  const emailId = stringAt(body, 'data', 'source_id');
  return deliveryEvent({
    key: eventKey(key, recipient ?? ''),
    recipient,
    mail: { provider: 'resend', idKind: 'source_id', id: emailId },
    occurredAt: fromIso(stringAt(body, 'data', 'updated_at')) ?? fromIso(stringAt(body, 'created_at')),
    ...addressMapping(type, body)({}),
  });
}

function addressMapping(type: string, body: unknown): Mapping {
  switch (type) {
    case 'suppression.added':
      return mappingFor(ORIGINS, stringAt(body, 'data', 'origin'));
    case 'contact.created':
    case 'contact.updated':
      return mappingFor(UNSUBSCRIBED, booleanAt(body, 'data', 'unsubscribed')?.toString());
    default:
      return mappingFor(EVENTS, type);
  }
}

/** Events about an email. They list all its recipients, and only the diagnostic can show which one the event is about. */
function readEmailEvent(
  type: string,
  key: string,
  body: unknown,
  { options }: SourceSettings,
): DeliveryEvent[] {
  const diagnostic = diagnosticOf(body);
  const mapping = type === 'email.bounced' ? mappingFor(BOUNCES, bounceType(body)) : mappingFor(EVENTS, type);
  const emailId = stringAt(body, 'data', 'email_id');
  const field = options.emailIdField;
  const own = field && stringAt(body, 'data', 'tags', field);
  const recipients = recipientsOf(body);
  const affected = recipients.length > 1 ? findNamedRecipient(diagnostic, recipients) : recipients;
  const classification = mapping({ diagnostic });
  const report = (recipient: string | undefined) => ({
    key: eventKey(key, recipient ?? ''),
    recipient,
    mail: { own, provider: 'resend', idKind: 'email_id', id: emailId },
    occurredAt: fromIso(stringAt(body, 'created_at')),
    diagnostic: diagnostic ?? messageOf(body),
    ...classification,
  });
  if (affected.length === 1) {
    return [deliveryEvent(report(affected[0]))];
  }
  const reason = 'The email went to several recipients and nothing shows which one the event is about.';
  return recipients.length === 0
    ? [deliveryEvent(report(undefined))]
    : recipients.map((recipient) => deliveryEvent({ ...report(recipient), effect: 'none', reason }));
}

/** The response of the server. Older payloads lack it. */
function diagnosticOf(body: unknown): string | null {
  return stringsAt(body, 'data', 'bounce', 'diagnosticCode').join('\n') || null;
}

/** Resend's explanation for people. */
function messageOf(body: unknown): string | null {
  return (
    stringAt(body, 'data', 'bounce', 'message') ?? stringAt(body, 'data', 'suppressed', 'message') ?? null
  );
}

/** Resend's documentation uses both `Transient` and `Temporary`. */
function bounceType(body: unknown): string {
  const type = stringAt(body, 'data', 'bounce', 'type') ?? '';
  const subType = stringAt(body, 'data', 'bounce', 'subType') ?? '';
  return `${type}/${subType}`.toLowerCase().replace(/^temporary\//, 'transient/');
}

const WORDS = /[\s<>"',;:()[\]]+/;
const MAX_DIAGNOSTIC_LENGTH = 10_000;

function normalForm(mailbox: string): string {
  const address = parseEmailAddress(addressOf(mailbox));
  return address instanceof InvalidEmailAddress ? mailbox : address;
}

/** Copies bounce and complain, too. */
export function recipientsOf(body: unknown): string[] {
  const mailboxes = ['to', 'cc', 'bcc'].flatMap((field) => stringsAt(body, 'data', field));
  return [...new Set(requireFew(mailboxes).map(normalForm))];
}

/**
 * The one recipient that the diagnostic names as permanently gone. A server can write any address into its response, so it is
 * believed only if all recipients have the same domain.
 */
export function findNamedRecipient(diagnostic: string | null, recipients: string[]): string[] {
  if (new Set(recipients.map(domainOf)).size > 1 || byDiagnostic({ diagnostic }).effect !== 'suppress') {
    return [];
  }
  const words = new Set(
    (diagnostic ?? '')
      .slice(0, MAX_DIAGNOSTIC_LENGTH)
      .split(WORDS)
      .filter((word) => word.includes('@'))
      .map(normalForm),
  );
  const named = recipients.filter((recipient) => words.has(recipient));
  return named.length === 1 ? named : [];
}
