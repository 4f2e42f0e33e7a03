import { createHash } from 'node:crypto';
import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../email-address/email-address.js';

/** What happened, in our own words. `unknown` is any type that says nothing about whether the address may be mailed. */
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

/**
 * What it does to the list.
 *
 * - `suppress`: add the address, or strengthen its cause.
 * - `suppress-if-absent`: the provider had it on its own list already; add it, but never change a record that is there.
 * - `watch`: a soft failure; count it, so that a source may suppress after many of them.
 * - `lift`: take back what the same source did: a `resubscribe` its unsubscribe, a `removed` its own record.
 * - `success`: mail arrived; the counting of soft failures begins anew.
 * - `none`: store it, count it, do nothing.
 */
export const EFFECTS = ['suppress', 'suppress-if-absent', 'watch', 'lift', 'success', 'none'] as const;

export type Effect = (typeof EFFECTS)[number];

/** What it did to the list. A soft failure is `counted`, unless it was the one too many: then it `added`. */
export const OUTCOMES = ['added', 'strengthened', 'removed', 'counted', 'nothing'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** The outcome of an event that changes nothing. */
export function initialOutcome(effect: Effect): Outcome {
  return effect === 'watch' ? 'counted' : 'nothing';
}

/** What a provider told us about one recipient. */
export interface DeliveryEvent {
  /** The same for the same fact told again, and another for each recipient of one delivery. At most 200 characters. */
  key: string;
  kind: DeliveryEventKind;
  /** Null when the provider named none, or named one that is no address: then the effect is `none`. */
  recipient: EmailAddress | null;
  effect: Effect;
  /** The mail that the event is about, as a UUID. */
  emailId: string | null;
  /** The mail that the event is about, as the provider names it. */
  rawMessageId: string | null;
  occurredAt: Date | null;
  /** RFC 3463, where the provider tells it apart: `5.1.1`. */
  status: string | null;
  /** What the receiving server or the provider said, for a person. */
  diagnostic: string | null;
  /** A sentence: why it has this effect. */
  reason: string;
}

/** A {@link DeliveryEvent} as it was reported: the recipient is not parsed yet, texts have any length. */
export type Report = Pick<DeliveryEvent, 'key' | 'kind' | 'effect' | 'reason'> & {
  recipient: string | undefined;
} & Partial<Pick<DeliveryEvent, 'emailId' | 'rawMessageId' | 'occurredAt' | 'status' | 'diagnostic'>>;

/** How the reason begins of an event that does nothing for want of a proof that the mail was ours. */
export const UNPROVEN = 'Unproven, nothing shows that the mail was ours: ';

/**
 * How the reason begins of a `suppress-if-absent` that did nothing, because a person had removed the address from the list:
 * the provider still has it on its own.
 */
export const STILL_LISTED = 'Still on ';

const MAX_KEY_LENGTH = 200;
const MAX_STATUS_LENGTH = 32;
const MAX_TEXT_LENGTH = 2_000;
/** Visible ASCII without spaces: parts joined by a space can be told apart again. */
const PLAIN_PART = /^[\x21-\x7e]+$/;

/** Parses the recipient and makes every text one that a database takes. */
export function deliveryEvent(report: Report): DeliveryEvent {
  const recipient = parseEmailAddress(report.recipient);
  const texts = {
    rawMessageId: storable(report.rawMessageId, MAX_TEXT_LENGTH),
    status: storable(report.status, MAX_STATUS_LENGTH),
    diagnostic: storable(report.diagnostic, MAX_TEXT_LENGTH),
  };
  const { key, kind, effect, reason, occurredAt = null } = report;
  const emailId = kind === 'manual' ? null : (report.emailId ?? null);
  if (recipient instanceof InvalidEmailAddress) {
    const why = effect === 'none' ? reason : withoutRecipient(report.recipient, recipient);
    return { key, kind, recipient: null, effect: 'none', emailId, ...texts, occurredAt, reason: why };
  }
  return { key, kind, recipient, effect, emailId, ...texts, occurredAt, reason };
}

function withoutRecipient(reported: string | undefined, { problem }: InvalidEmailAddress): string {
  return reported ? `The recipient is not an address: it ${problem}.` : 'It names no recipient.';
}

/** An element of a delivery that does not even have the shape of an event: stored, and its neighbours are read. */
export function unreadableEvent(element: unknown): DeliveryEvent {
  return deliveryEvent({
    key: contentKey(element),
    kind: 'unknown',
    recipient: undefined,
    effect: 'none',
    reason: 'It does not have the shape of an event.',
  });
}

/** A key of what the provider calls unique: readable where it is short and plain, else a hash of it. */
export function eventKey(...parts: string[]): string {
  const joined = parts.join(' ');
  const isPlain = joined.length <= MAX_KEY_LENGTH && parts.every((part) => PLAIN_PART.test(part));
  return isPlain ? joined : contentKey(parts);
}

/** A key for what has no unique name: the same content is the same event. */
export function contentKey(content: unknown): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(content) ?? '')
    .digest('hex')}`;
}

/**
 * A key for what has no unique name, of the parts that tell it from others. One that does not say when it happened may
 * happen again, years later: only its whole content is its own.
 *
 * @param moment - one of the parts
 */
export function partsKey(event: unknown, parts: unknown[], moment: string | undefined): string {
  return contentKey(moment ? parts : event);
}

/** Of a length that an index and a page can bear, without NUL, which PostgreSQL refuses, and well-formed. */
export function storable(text: string | null | undefined, maxLength = MAX_TEXT_LENGTH): string | null {
  return text?.slice(0, maxLength).toWellFormed().replaceAll('\0', '\u{FFFD}') || null;
}
