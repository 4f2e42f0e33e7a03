import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import type { Actor } from '../audit/actor.js';
import type { FoundSuppression } from '../suppressions/suppression-lookup.js';
import type { Subscription } from '../topics/topic.entity.js';

/** The types of changes that consumers see. The list is closed. */
export const FEED_CHANGE_TYPE_MEANINGS = {
  'suppression.added': 'an address was put on the list',
  'suppression.changed': 'the causes of a suppression changed, but the address is still suppressed',
  'suppression.removed': 'an address was removed from the list',
  'preference.changed': 'a recipient opted in to or out of a topic',
  'contact.erased': 'an address was erased; followers must forget it',
} as const;

export type FeedChangeType = keyof typeof FEED_CHANGE_TYPE_MEANINGS;

/** A change with the state after it. */
export interface FeedChange {
  id: string;
  /** Counted from 1 in each account, without gaps. */
  position: number;
  type: FeedChangeType;
  email: EmailAddress;
  /** Increases with each change of the record of an address, and with each change of its preference for a topic. */
  revision: number;
  /**
   * The record after the change, or null if the address is no longer listed. If a preference changed, this is the current
   * record. It may be newer than the position; then its own change follows.
   */
  suppression: FoundSuppression | null;
  /** All causes of that record, the strongest first. */
  causes: readonly Cause[];
  /** When its bounce and its manual entry end, in ISO 8601; null if never. */
  expiresAt: string | null;
  /** The record that the change removed, if it did. */
  removed: FoundSuppression | null;
  /** The recipient's choice, or the topic's default if the choice was erased. Null if the list changed. */
  topic: { id: string; key: string; subscription: Subscription } | null;
  /** The id of the erased record, if there was one. Null unless the type is `contact.erased`. */
  erased: { suppressionId: string | null } | null;
  actor: Actor;
  note: string | null;
  /** The lift by query that made the change, or whose revert made it. */
  liftId: string | null;
  /** In ISO 8601, to the millisecond. */
  createdAt: string;
}
