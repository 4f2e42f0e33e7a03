import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import type { ActorType } from '../audit/actor.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { createdAtOf } from '../suppressions/suppression-id.js';
import type { Subscription } from '../topics/topic.entity.js';

/** What happened, for consumers. The list is closed. */
export const FEED_CHANGE_TYPES = [
  'suppression.added',
  'suppression.changed',
  'suppression.removed',
  'preference.changed',
] as const;

export type FeedChangeType = (typeof FEED_CHANGE_TYPES)[number];

export const FEED_CHANGE_TYPE_MEANINGS: Readonly<Record<FeedChangeType, string>> = {
  'suppression.added': 'an address was put on the list',
  'suppression.changed': 'the causes of a suppression changed, but the address is still suppressed',
  'suppression.removed': 'an address was removed from the list',
  'preference.changed': 'a recipient opted in to or out of a topic',
};

/** A record as it was when it changed. */
export interface FeedSuppression {
  id: string;
  email: EmailAddress;
  /** The strongest cause. */
  cause: Cause;
  emailId: string | null;
  /** In ISO 8601, to the millisecond. */
  createdAt: string;
}

/** A change with the state after it. */
export interface FeedChange {
  /** The id of the line of the ledger. */
  id: string;
  /** The first change of an account has 1, and none is left out. */
  position: number;
  type: FeedChangeType;
  email: EmailAddress;
  /** Rises with each change of the record of an address, and with each one of its preference for a topic. */
  revision: number;
  /**
   * The record after the change, or null if the address is no longer listed. If a preference changed, the current record: it may
   * be newer than the position, and then its own change follows.
   */
  suppression: FeedSuppression | null;
  /** All causes of that record, the strongest first. */
  causes: readonly Cause[];
  /** When its bounce and its manual entry end, in ISO 8601; null if never. */
  expiresAt: string | null;
  /** The record that the change removed. Null unless the type is `suppression.removed`. */
  removed: FeedSuppression | null;
  /** What the recipient chose. Null unless the type is `preference.changed`. */
  topic: { id: string; key: string; subscription: Subscription } | null;
  actor: { type: ActorType; id: string | null; name: string };
  note: string | null;
  /** In ISO 8601, to the millisecond. */
  createdAt: string;
}

/** A line of the ledger at its position, with the record after it. */
export interface FeedLine {
  position: number;
  id: string;
  action: Action;
  email: EmailAddress;
  revision: number;
  createdAt: string;
  actorType: ActorType;
  actorId: string | null;
  /** Null if a preference changed, and so is the cause. */
  suppressionId: string | null;
  cause: Cause | null;
  emailId: string | null;
  /** Null if there is no record. */
  idAfter: string | null;
  /** A mask. */
  causesAfter: number;
  emailIdAfter: string | null;
  expiresAtAfter: string | null;
  /** Null if the list changed. */
  topicId: string | null;
  topicKey: string;
}

export function toFeedChange(line: FeedLine, actorName: string, note: string | null): FeedChange {
  const { position, id, action, email, revision, idAfter, emailIdAfter, topicId, topicKey, createdAt } = line;
  const causes = causesIn(line.causesAfter);
  const type = typeOf(action, idAfter !== null);
  const isRemoved = type === 'suppression.removed';
  return {
    id,
    position,
    type,
    email,
    revision,
    suppression: idAfter === null ? null : toSuppression(idAfter, email, causes[0]!, emailIdAfter),
    causes,
    expiresAt: line.expiresAtAfter,
    removed: isRemoved ? toSuppression(line.suppressionId!, email, line.cause!, line.emailId) : null,
    topic: topicId && {
      id: topicId,
      key: topicKey,
      subscription: action === 'opted_in' ? 'opt_in' : 'opt_out',
    },
    actor: { type: line.actorType, id: line.actorId, name: actorName },
    note,
    createdAt,
  } as FeedChange;
}

function typeOf(action: Action, isSuppressed: boolean): FeedChangeType {
  switch (action) {
    case 'added':
      return 'suppression.added';
    case 'opted_in':
    case 'opted_out':
      return 'preference.changed';
    default:
      return isSuppressed ? 'suppression.changed' : 'suppression.removed';
  }
}

const TO_MILLISECONDS = '2026-01-15T09:30:00.123'.length;

function toSuppression(
  id: string,
  email: EmailAddress,
  cause: Cause,
  emailId: string | null,
): FeedSuppression {
  return { id, email, cause, emailId, createdAt: `${createdAtOf(id).slice(0, TO_MILLISECONDS)}Z` };
}
