import { createHash } from 'node:crypto';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../email-address/email-address.js';
import type { TopicUnit } from './topic-unit.js';

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
  unknown: 'the event says nothing about whether the address can be mailed',
};

/** What an event asks for. */
export const EFFECTS = [
  'suppress',
  'suppress-if-absent',
  'watch',
  'lift',
  'opt-out',
  'opt-in',
  'success',
  'none',
] as const;

export type Effect = (typeof EFFECTS)[number];

export const EFFECT_MEANINGS: Readonly<Record<Effect, string>> = {
  suppress: 'add the address, or strengthen its cause',
  'suppress-if-absent':
    'the provider had the address on its own list already; add it, but never change a suppression',
  watch: 'count a soft failure, since a source may suppress after many of them',
  lift: 'remove what the same source added: a `resubscribe` its unsubscribe, a `removed` its bounce or manual entry',
  'opt-out': 'the recipient left a kind of mail: opt out of its topic',
  'opt-in': 'the recipient joined a kind of mail again: take back the opt-out that the same source reported',
  success: 'mail arrived, so earlier soft failures no longer count',
  none: 'only store the event',
};

export const OUTCOMES = [
  'added',
  'strengthened',
  'cause_added',
  'removed',
  'counted',
  'ignored',
  'opted_out',
  'opted_in',
  'nothing',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

export const OUTCOME_MEANINGS: Readonly<Record<Outcome, string>> = {
  added: 'it put the address on the list',
  strengthened: 'it added a stronger cause',
  cause_added: 'it added a weaker cause',
  removed: 'it removed a cause or the whole suppression',
  counted: 'it is a soft failure, which counts towards the limit of the source',
  ignored: 'it is a bounce of an address that a rule allows',
  opted_out: 'it opted the recipient out of a topic',
  opted_in: 'it took back an opt-out of a topic',
  nothing:
    'it changed nothing; `suppression_id` names the suppression that says the same already, if there is one',
};

/** The outcome of an event that changes nothing. */
export function initialOutcome(effect: Effect): Outcome {
  return effect === 'watch' ? 'counted' : 'nothing';
}

/** What a source reported about one recipient. */
export interface DeliveryEvent {
  /** Repetitions have the same key; each recipient of a delivery has another. At most 200 characters. */
  key: string;
  kind: DeliveryEventKind;
  /** Null if the provider named no valid address; the effect is `none` then. */
  recipient: EmailAddress | null;
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

const MAX_KEY_LENGTH = 200;
const MAX_STATUS_LENGTH = 32;
const MAX_TEXT_LENGTH = 2_000;
/** Visible ASCII without spaces: parts joined by a space can be told apart again. */
const PLAIN_PART = /^[\x21-\x7e]+$/;

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
    const why = effect === 'none' ? reason : withoutRecipient(report.recipient, recipient);
    return { key, kind, recipient: null, effect: 'none', emailId, ...rest, reason: why };
  }
  return { key, kind, recipient, effect, emailId, ...rest, reason };
}

function withoutRecipient(reported: string | undefined, { problem }: InvalidEmailAddress): string {
  return reported ? `The recipient is not an address: it ${problem}.` : 'It names no recipient.';
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
 * @param moment - one of the parts
 */
export function partsKey(event: unknown, parts: unknown[], moment: string | undefined): string {
  return contentKey(moment ? parts : event);
}

/** A text as the database can store it: of limited length, well-formed, and without NUL. Null if it is empty. */
export function storable(text: string | null | undefined, maxLength = MAX_TEXT_LENGTH): string | null {
  return text?.slice(0, maxLength).toWellFormed().replaceAll('\0', '\u{FFFD}') || null;
}
