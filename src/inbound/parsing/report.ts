import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../email-address/email-address.js';
import { renameIn, type Pseudonymized } from '../../pseudonyms/stored-names.js';
import { isId, LOWEST_ID } from '../../validation/parsers.js';
import { MAX_UNIT_NAME_LENGTH, type DeliveryEvent, type TopicUnit, type UnitKind } from './delivery-event.js';
import { isObject, parseJsonText, textAt } from './json.js';

const MAX_KEY_LENGTH = 200;
const MAX_STATUS_LENGTH = 32;
const MAX_TEXT_LENGTH = 2_000;

/** A {@link DeliveryEvent} as it was reported: the recipient is not parsed yet, texts have any length. */
export interface Report
  extends
    Pick<DeliveryEvent, 'key' | 'kind' | 'effect' | 'reason'>,
    Partial<Pick<DeliveryEvent, 'emailId' | 'occurredAt' | 'units'>> {
  recipient: string | undefined;
  /** Instead of `emailId`. */
  mail?: MailIdentity;
  /** The id of `mail` if absent. */
  rawMessageId?: string | null | undefined;
  status?: string | null | undefined;
  diagnostic?: string | null | undefined;
}

/** The ids of the email that an event is about. */
export interface MailIdentity {
  /** The sender's own id, from the field that the source names. */
  own?: string | undefined;
  provider: string;
  /** The provider's name for its id. */
  idKind: string;
  id: string | undefined;
}

/** Parses the recipient, and makes every text one that the database can store. */
export function deliveryEvent(report: Report): DeliveryEvent {
  const { key, kind, effect, reason, mail, occurredAt = null, units = [] } = report;
  const recipient = parseEmailAddress(report.recipient);
  const texts = {
    rawMessageId: storable(report.rawMessageId ?? mail?.id),
    status: storable(report.status, MAX_STATUS_LENGTH),
    diagnostic: storable(report.diagnostic),
  };
  const rest = { ...texts, occurredAt, units, topicId: null };
  const reportedId = mail ? emailIdOf(mail) : uuidIn(report.emailId ?? undefined);
  const emailId = kind === 'manual' ? null : reportedId;
  if (recipient instanceof InvalidEmailAddress) {
    const why = effect === 'none' ? toSentence(reason) : withoutRecipient(report.recipient, recipient);
    return { key, kind, recipient: null, effect: 'none', emailId, ...rest, reason: why };
  }
  rest.units = units.map((unit) => withoutQuotation(unit, recipient));
  return { key, kind, recipient, effect, emailId, ...rest, reason: toSentence(reason) };
}

/** Characters next to a text that make it a part of a longer address. */
const [ADDRESS_BEFORE, ADDRESS_AFTER] = [/[\p{L}\p{N}._+-]$/u, /^\.?[\p{L}\p{N}-]/u];

/**
 * An erasure does not rewrite the names of kinds of mail, so they must not quote the recipient. A name may be another address
 * that contains it.
 */
function withoutQuotation({ kind, name }: TopicUnit, recipient: EmailAddress): TopicUnit {
  const parts = name.toLowerCase().split(recipient);
  return parts.length > 1 && !ADDRESS_BEFORE.test(parts[0]!) && !ADDRESS_AFTER.test(parts.at(-1)!)
    ? { kind, name: storable(parts.join('recipient'), MAX_UNIT_NAME_LENGTH)! }
    : { kind, name };
}

/** The reasons in the bounce policy are phrases, because they are also parts of other sentences. */
function toSentence(phrase: string): string {
  const sentence = phrase[0]!.toUpperCase() + phrase.slice(1);
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

function withoutRecipient(reported: string | undefined, { problem }: InvalidEmailAddress): string {
  return reported ? `The recipient is not an address: it ${problem}.` : 'It names no recipient.';
}

export function* recipientsOf(events: readonly DeliveryEvent[]): Generator<EmailAddress> {
  for (const { recipient } of events) {
    if (recipient) {
      yield recipient;
    }
  }
}

/** The event as it is stored. The address of an erased recipient is replaced, even where texts quote it. */
export function renameEvent(event: DeliveryEvent, pseudonyms: Pseudonymized): DeliveryEvent {
  const { recipient, key, rawMessageId, status, diagnostic, reason } = event;
  const pseudonym = recipient && pseudonyms.get(recipient);
  if (!pseudonym) {
    return event;
  }
  const own = new Map([[recipient, pseudonym]]);
  return {
    ...event,
    recipient: pseudonym,
    erasedRecipient: recipient,
    key: renameIn(key, own, MAX_KEY_LENGTH)!,
    rawMessageId: renameIn(rawMessageId, own, MAX_TEXT_LENGTH),
    status: renameIn(status, own, MAX_STATUS_LENGTH),
    diagnostic: renameIn(diagnostic, own, MAX_TEXT_LENGTH),
    reason: renameIn(reason, own, MAX_TEXT_LENGTH)!,
  };
}

/** An event for an element of a delivery that is not an event. It is stored so that the other elements can be read. */
export function unreadableEvent(element: unknown): DeliveryEvent {
  return deliveryEvent({
    key: contentKey(element),
    kind: 'unknown',
    recipient: undefined,
    effect: 'none',
    reason: 'It does not have the shape of an event.',
  });
}

/** A text as the database can store it: of limited length, well-formed, and without NUL. Null if it is empty. */
export function storable(text: string | null | undefined, maxLength = MAX_TEXT_LENGTH): string | null {
  return text?.slice(0, maxLength).toWellFormed().replaceAll('\0', '\u{FFFD}') || null;
}

/** Visible ASCII without spaces: parts joined by a space can be told apart again. */
const PLAIN_PART = /^[\x21-\x7e]+$/;

/** A key made of parts that are unique at the provider: readable if they are short and plain, or else a hash. */
export function eventKey(...parts: string[]): string {
  const joined = parts.join(' ');
  const isPlain = joined.length <= MAX_KEY_LENGTH && parts.every((part) => PLAIN_PART.test(part));
  return isPlain ? joined : contentKey(parts);
}

/** A key for an event without a unique id: the same content is the same event. */
export function contentKey(content: unknown): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(content) ?? '')
    .digest('hex')}`;
}

/**
 * A key for an event without a unique id, made of the parts that identify it. An event that does not say when it happened
 * may happen again years later, so its key is made of its whole content.
 *
 * @param timestamp - one of the parts
 */
export function partsKey(event: unknown, parts: unknown[], timestamp: string | undefined): string {
  return contentKey(timestamp ? parts : event);
}

/** The units with these names. Absent and empty names have none. */
export function unitsOf(kind: UnitKind, ...names: (string | undefined)[]): TopicUnit[] {
  return names.flatMap((name) => (name ? { kind, name: unitName(name) } : []));
}

/** A name as the database can store it. A hash replaces the end of a long one, so that it differs from other long ones. */
function unitName(name: string): string {
  if (name.length <= MAX_UNIT_NAME_LENGTH) {
    return storable(name)!;
  }
  const hash = contentKey(name);
  return `${storable(name, MAX_UNIT_NAME_LENGTH - hash.length - 1)} ${hash}`;
}

/** The namespace of all derived ids. It must never change, or the same mail would get another id. */
const NAMESPACE = '947dfe23-d495-420a-bc5a-101721e3c797';
/** RFC 9562, section 5.9. */
const NIL_ID = LOWEST_ID;

/**
 * The sender's own UUID, else the provider's, else a UUIDv5 (RFC 9562, section 5.5) of the provider's id, else null.
 * The nil UUID names nothing.
 */
export function emailIdOf({ own, provider, idKind, id }: MailIdentity): string | null {
  const ownId = uuidIn(own);
  const name = storable(id);
  if (ownId || !name || name === NIL_ID) {
    return ownId;
  }
  return uuidIn(name) ?? uuidv5([provider, idKind, name].join('\0'), NAMESPACE);
}

/** A text as a UUID in lower case; null if it is not a UUID, or nil. */
export function uuidIn(text: string | undefined): string | null {
  const uuid = text?.trim().toLowerCase();
  return uuid && isId(uuid) && uuid !== NIL_ID ? uuid : null;
}

/** The address in a mailbox of a mail header, such as `Ada <ada@example.com>` (RFC 5322, section 3.4). */
export function addressOf(mailbox: string): string {
  const text = mailbox.trim();
  const open = text.lastIndexOf('<');
  return open >= 0 && text.endsWith('>') ? text.slice(open + 1, -1) : text;
}

/** RFC 5322, section 3.6.4, without its angle brackets: providers and servers write it with them or without. */
export function withoutBrackets(messageId: string | undefined): string | undefined {
  return messageId?.trim().replace(/^<(.*)>$/s, '$1');
}

/**
 * A field of free text that a sender attached to a mail: JSON, `name:value` pairs with `|` between them (Brevo's
 * custom header), or the text as a whole.
 */
export function fieldOfText(text: string | undefined, field: string): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const pair = text.split('|').find((candidate) => candidate.trim().startsWith(`${field}:`));
  return jsonField(text, field) ?? pair?.trim().slice(field.length + 1) ?? text;
}

function jsonField(text: string, field: string): string | undefined {
  try {
    const json = parseJsonText(text);
    return isObject(json) ? textAt(json, field) : undefined;
  } catch {
    return undefined;
  }
}
