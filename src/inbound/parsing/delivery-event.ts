import { createHash } from 'node:crypto';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../email-address/email-address.js';
import { renameIn, type Pseudonymised } from '../../pseudonyms/stored-names.js';
import type { Effect } from './outcome.js';

const MAX_KEY_LENGTH = 200;
const MAX_STATUS_LENGTH = 32;
const MAX_TEXT_LENGTH = 2_000;

export const DELIVERY_EVENT_KINDS = [
  'bounce',
  'complaint',
  'unsubscribe',
  'manual',
  'resubscribe',
  'removed',
  'delivered',
  'unknown',
] as const;

export type DeliveryEventKind = (typeof DELIVERY_EVENT_KINDS)[number];

export const DELIVERY_EVENT_KIND_MEANINGS: Readonly<Record<DeliveryEventKind, string>> = {
  bounce: 'the email was not delivered',
  complaint: 'the recipient reported it as spam',
  unsubscribe: 'the recipient unsubscribed',
  manual: 'somebody put the address on the list of the provider',
  resubscribe: 'the recipient subscribed again',
  removed: 'the address was removed from the list of the provider',
  delivered: 'the email was delivered',
  unknown: 'the event does not show whether the address can be mailed',
};

/** What a source reported about one recipient. */
export interface DeliveryEvent {
  /** Repetitions have the same key; each recipient of a delivery has another. At most 200 characters. */
  key: string;
  kind: DeliveryEventKind;
  /** Null if the provider named no valid address; the effect is `none` then. */
  recipient: EmailAddress | null;
  /** The address of an erased recipient, whose domain rules may match. It is not stored. */
  erasedRecipient?: EmailAddress;
  effect: Effect;
  emailId: string | null;
  /** The id of the email at the provider. */
  rawMessageId: string | null;
  occurredAt: Date | null;
  /** RFC 3463: `5.1.1`. Null if the provider does not report it. */
  status: string | null;
  /** What the receiving server or the provider said, for a person. */
  diagnostic: string | null;
  /** A sentence that says why the event has this effect. */
  reason: string;
  /** The kinds of mail that the recipient left or joined, as the provider names them. */
  units: readonly TopicUnit[];
  /** The topic that one of the units stands for, once that is known. */
  topicId: string | null;
}

/** What providers call the kinds of mail that a recipient can leave one by one. */
export const UNIT_KINDS = ['group', 'stream', 'tag', 'list', 'topic'] as const;

export type UnitKind = (typeof UNIT_KINDS)[number];

/** A kind of mail at a provider, such as the unsubscribe group 10 of SendGrid. */
export interface TopicUnit {
  kind: UnitKind;
  name: string;
}

export const MAX_UNIT_NAME_LENGTH = 200;

/** The units with these names, without those that have none. */
export function unitsOf(kind: UnitKind, ...names: (string | undefined)[]): TopicUnit[] {
  return names.flatMap((name) => (name && name.length <= MAX_UNIT_NAME_LENGTH ? { kind, name } : []));
}

/** A {@link DeliveryEvent} as it was reported: the recipient is not parsed yet, texts have any length. */
export type Report = Pick<DeliveryEvent, 'key' | 'kind' | 'effect' | 'reason'> & {
  recipient: string | undefined;
} & Partial<
    Pick<DeliveryEvent, 'emailId' | 'rawMessageId' | 'occurredAt' | 'status' | 'diagnostic' | 'units'>
  >;

/** The beginning of the reason of an event that is ignored because nothing proves that the email was the account's. */
export const UNPROVEN = 'Unproven, nothing shows that the email was ours: ';

/** The beginning of the reason of an event that only says that a removed address is still on the provider's own list. */
export const STILL_LISTED = 'Still on ';

/** Parses the recipient, and makes every text one that the database can store. */
export function deliveryEvent(report: Report): DeliveryEvent {
  const recipient = parseEmailAddress(report.recipient);
  const texts = {
    rawMessageId: storable(report.rawMessageId, MAX_TEXT_LENGTH),
    status: storable(report.status, MAX_STATUS_LENGTH),
    diagnostic: storable(report.diagnostic, MAX_TEXT_LENGTH),
  };
  const { key, kind, effect, reason, occurredAt = null, units = [] } = report;
  const rest = { ...texts, occurredAt, units, topicId: null };
  const emailId = kind === 'manual' ? null : (report.emailId ?? null);
  if (recipient instanceof InvalidEmailAddress) {
    const why = effect === 'none' ? toSentence(reason) : withoutRecipient(report.recipient, recipient);
    return { key, kind, recipient: null, effect: 'none', emailId, ...rest, reason: why };
  }
  return { key, kind, recipient, effect, emailId, ...rest, reason: toSentence(reason) };
}

/** The policy for bounces has phrases, since other sentences contain them. */
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

/** The event as it is stored: without the address of an erased recipient, also where its texts quote it. */
export function renameEvent(event: DeliveryEvent, pseudonyms: Pseudonymised): DeliveryEvent {
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

/** An element of a delivery that is not an event. It is stored, so that the other elements are read. */
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
