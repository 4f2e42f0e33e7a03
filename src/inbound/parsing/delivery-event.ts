import type { EmailAddress } from '../../email-address/email-address.js';

export const DELIVERY_EVENT_KIND_MEANINGS = {
  bounce: 'the email was not delivered',
  complaint: 'the recipient reported it as spam',
  unsubscribe: 'the recipient unsubscribed',
  manual: 'somebody put the address on the list of the provider',
  resubscribe: 'the recipient subscribed again',
  removed: 'the address was removed from the list of the provider',
  delivered: 'the email was delivered',
  unknown: 'the event does not show whether the address can be mailed',
} as const;

export type DeliveryEventKind = keyof typeof DELIVERY_EVENT_KIND_MEANINGS;

export const DELIVERY_EVENT_KINDS = Object.keys(DELIVERY_EVENT_KIND_MEANINGS) as readonly DeliveryEventKind[];

/** A source's report about one recipient. */
export interface DeliveryEvent {
  /**
   * Identifies the event: repetitions have the same key, and each recipient of a delivery has a different one. At most 200
   * characters.
   */
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
  /** The reply of the receiving server or the provider, for people. */
  diagnostic: string | null;
  /** A sentence that says why the event has this effect. */
  reason: string;
  /** The kinds of mail that the recipient left or joined, as the provider names them. */
  units: readonly TopicUnit[];
  /** The topic to which one of the units is mapped, once that is known. */
  topicId: string | null;
}

/** Providers' words for the kinds of mail that a recipient can leave one by one. */
export const UNIT_KINDS = ['group', 'stream', 'tag', 'list', 'topic'] as const;

export type UnitKind = (typeof UNIT_KINDS)[number];

/** A kind of mail at a provider, such as the unsubscribe group 10 of SendGrid. */
export interface TopicUnit {
  kind: UnitKind;
  name: string;
}

export const MAX_UNIT_NAME_LENGTH = 200;

/** The beginning of the reason of an event that is ignored because nothing proves that the email was the account's. */
export const UNPROVEN = 'Unproven, nothing shows that the email was ours: ';

/** The beginning of the reason of an event that only says that a removed address is still on the provider's own list. */
export const STILL_LISTED = 'Still on ';

export const EFFECT_MEANINGS = {
  suppress: 'add the address, or strengthen its cause',
  'suppress-if-absent':
    'the provider had the address on its own list already; add it, but never change a suppression',
  watch: 'count a soft failure, since a source may suppress after many of them',
  lift: 'remove what the same source added: a `resubscribe` its unsubscribe, a `removed` its bounce or manual entry',
  'opt-out': 'the recipient left a kind of mail: opt out of its topic',
  'opt-in': 'the recipient joined a kind of mail again: take back the opt-out that the same source reported',
  success: 'mail arrived, so earlier soft failures no longer count',
  none: 'only store the event',
} as const;

export type Effect = keyof typeof EFFECT_MEANINGS;

export const EFFECTS = Object.keys(EFFECT_MEANINGS) as readonly Effect[];

export const OUTCOME_MEANINGS = {
  added: 'it put the address on the list',
  strengthened: 'it added a stronger cause',
  cause_added: 'it added a weaker cause',
  removed: 'it removed a cause or the whole suppression',
  counted: 'it is a soft failure, which counts toward the limit of the source',
  ignored: 'it is a bounce of an address that a rule allows',
  opted_out: 'it opted the recipient out of a topic',
  opted_in: 'it reversed an opt-out of a topic',
  nothing:
    'it changed nothing; `suppression_id` is the suppression that already had this cause, if there is one',
} as const;

export type Outcome = keyof typeof OUTCOME_MEANINGS;

export const OUTCOMES = Object.keys(OUTCOME_MEANINGS) as readonly Outcome[];
