import { delimitText, undelimitText } from '../database/delimited-rows.js';
import { isoTimestampOf, toIsoTimestamp } from '../database/iso-timestamp.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { createdMsOf } from '../suppressions/suppression-id.js';
import type { FeedChange, FeedChangeType, FeedSuppression } from './feed-change.js';

const BETWEEN_FIELDS = ',';

/** A record, as far as the feed shows it. */
export interface FeedRecord {
  id: string;
  /** The strongest first. */
  causes: readonly Cause[];
  /** Of the strongest cause. */
  emailId: string | null;
  /** When a bounce and a manual entry end, in ISO 8601; null if never. */
  expiresAt: string | null;
}

/** A line of the ledger at its position. */
export interface FeedLine {
  position: number;
  id: string;
  action: Action;
  email: EmailAddress;
  revision: string;
  createdAt: string;
  actor: FeedChange['actor'];
  note: string | null;
  /** The record as it would be if the line were all that ever happened to it. Its parts are empty if a preference changed. */
  own: FeedRecord;
  /** The current record, if a preference changed. */
  current: FeedRecord | null;
  topic: FeedChange['topic'];
}

/**
 * SQL of the current record after a change of a preference, because lines of the list and of preferences have no order among
 * each other.
 */
const CURRENT_RECORD = `
  CASE WHEN line.topic_id IS NOT NULL THEN (
    SELECT concat_ws(
      '${BETWEEN_FIELDS}', id, weaker_causes | cause_bit(cause), coalesce(email_id::text, ''),
      coalesce(${timestamp('expires_at')}, '')
    )
    FROM suppressions
    WHERE account_id = $1 AND email = line.email
  ) END`;

/** SQL for {@link toFeedLine}, of a `position` and its `line` in the ledger of the account `$1`. */
export const FEED_LINE_COLUMNS = [
  'position',
  'line.id',
  'line.action',
  'line.email',
  'line.revision',
  timestamp('line.created_at'),
  'line.actor_type',
  `coalesce(line.actor_id::text, '')`,
  delimitText('line.actor_name'),
  delimitText('line.note'),
  `coalesce(line.suppression_id::text, '')`,
  `coalesce(line.cause::text, '')`,
  `coalesce(line.email_id::text, '')`,
  `coalesce(${timestamp('line.expires_at')}, '')`,
  `coalesce(${CURRENT_RECORD}, '')`,
  `coalesce(line.topic_id::text, '')`,
  `coalesce((SELECT key FROM topics WHERE account_id = $1 AND id = line.topic_id), '')`,
];

/** For {@link toIsoTimestamp}. */
export function timestamp(column: string): string {
  return `(${column} AT TIME ZONE 'UTC')::text`;
}

export function toFeedLine(values: string[], first: number): FeedLine {
  const [
    position,
    id,
    action,
    email,
    revision,
    createdAt,
    actorType,
    actorId,
    actorName,
    note,
    suppressionId,
    cause,
    emailId,
    expiresAt,
    current,
    topicId,
    topicKey,
  ] = values.slice(first, first + FEED_LINE_COLUMNS.length);
  return {
    position: Number(position),
    id,
    action,
    email,
    revision,
    createdAt: toIsoTimestamp(createdAt!),
    actor: { type: actorType, id: actorId || null, name: undelimitText(actorName!) },
    note: undelimitText(note!),
    own: toRecord(suppressionId!, [cause as Cause], emailId!, expiresAt!),
    current: current ? undelimitRecord(current) : null,
    topic: topicId
      ? { id: topicId, key: topicKey, subscription: action === 'opted_in' ? 'opt_in' : 'opt_out' }
      : null,
  } as FeedLine;
}

/** @param after - the record after the change; null if the address is not listed any more */
export function toFeedChange(line: FeedLine, after: FeedRecord | null): FeedChange {
  const { id, position, email, own, topic, actor, note, createdAt } = line;
  const type = typeOf(line.action, after !== null);
  return {
    id,
    position,
    type,
    email,
    revision: Number(line.revision),
    suppression: after && toSuppression(email, after),
    causes: after ? after.causes : [],
    expiresAt: after && after.expiresAt,
    removed: type === 'suppression.removed' ? toSuppression(email, own) : null,
    topic,
    actor,
    note,
    createdAt,
  };
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

function undelimitRecord(delimited: string): FeedRecord {
  const [id, causes, emailId, expiresAt] = delimited.split(BETWEEN_FIELDS);
  return toRecord(id!, causesIn(Number(causes)), emailId!, expiresAt!);
}

function toRecord(id: string, causes: readonly Cause[], emailId: string, expiresAt: string): FeedRecord {
  return { id, causes, emailId: emailId || null, expiresAt: expiresAt ? toIsoTimestamp(expiresAt) : null };
}

function toSuppression(email: EmailAddress, { id, causes, emailId }: FeedRecord): FeedSuppression {
  return { id, email, cause: causes[0]!, emailId, createdAt: isoTimestampOf(createdMsOf(id)) };
}
