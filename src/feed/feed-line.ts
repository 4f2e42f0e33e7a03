import { delimitText, undelimitText } from '../database/rows.js';
import { toIsoTimestamp } from '../database/iso-timestamp.js';
import type { ActorType } from '../audit/actor.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import { liftIdOf } from '../ledger/evidence.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { LIVE_CAUSES, IS_LIVE } from '../suppressions/suppression.entity.js';
import type { FoundSuppression } from '../suppressions/suppression-lookup.js';
import type { FeedChange, FeedChangeType } from './feed-change.js';

export interface FeedRecord {
  id: string;
  /** The strongest first. */
  causes: readonly Cause[];
  /** The email id of the strongest cause. */
  emailId: string | null;
  /** When a bounce and a manual entry end, in ISO 8601; null if never. */
  expiresAt: string | null;
}

export interface FeedLine {
  id: string;
  action: Action;
  email: EmailAddress;
  revision: string;
  createdAt: string;
  actor: FeedChange['actor'];
  note: string | null;
  liftId: string | null;
  /** The record as this line alone would leave it. Its parts are empty if a preference changed. */
  own: FeedRecord;
  current: FeedRecord | null;
  topic: FeedChange['topic'];
  /** Whether the line announces an erasure. Such a line never had the address. */
  isErasure: boolean;
}

/** Columns that few lines use, read as JSON. `current` is the current record, if a preference changed. */
type RareColumns = [
  note: string | null,
  expiresAt: string | null,
  topicId: string | null,
  topicKey: string | null,
  current: [id: string, causes: number, emailId: string | null, expiresAt: string | null] | null,
  liftId: string | null,
  erasure: string | null,
];

const NOTHING: RareColumns = [null, null, null, null, null, null, null];

/**
 * SQL for {@link RareColumns} as JSON; empty if all are null. Changes of records and changes of preferences are not ordered
 * relative to each other, so a change of a preference includes the current record.
 */
const RARE_COLUMNS = `
  CASE WHEN num_nonnulls(line.note, line.expires_at, line.topic_id, line.evidence) = 0 THEN '' ELSE json_build_array(
    line.note,
    ${timestamp('line.expires_at')},
    line.topic_id,
    (SELECT key FROM topics WHERE account_id = $1 AND id = line.topic_id),
    CASE WHEN line.topic_id IS NOT NULL THEN (
      SELECT json_build_array(
        id, ${LIVE_CAUSES}, email_id, CASE WHEN expires_at > now() THEN ${timestamp('expires_at')} END
      )
      FROM suppressions
      WHERE account_id = $1 AND email = line.email AND ${IS_LIVE}
    ) END,
    ${liftIdOf('line')},
    line.evidence ->> 'erasure'
  )::text END`;

/** SQL for {@link toFeedLine}, of a `line` in the ledger of the account `$1`. */
export const FEED_LINE_COLUMNS = [
  'line.id',
  'line.action',
  'line.email',
  'line.revision',
  timestamp('line.created_at'),
  'line.actor_type',
  `coalesce(line.actor_id::text, '')`,
  delimitText('line.actor_name'),
  `coalesce(line.suppression_id::text, '')`,
  `coalesce(line.cause::text, '')`,
  `coalesce(line.email_id::text, '')`,
  RARE_COLUMNS,
];

/** SQL for a timestamp in the form that {@link toIsoTimestamp} reads. */
export function timestamp(column: string): string {
  return `(${column} AT TIME ZONE 'UTC')::text`;
}

export function toFeedLine(values: string[], first: number): FeedLine {
  const action = values[first + 1] as Action;
  const rare = values[first + 11]!;
  const [note, expiresAt, topicId, key, current, liftId, erasure]: RareColumns =
    rare === '' ? NOTHING : JSON.parse(rare);
  return {
    id: values[first]!,
    action,
    email: values[first + 2] as EmailAddress,
    revision: values[first + 3]!,
    createdAt: toIsoTimestamp(values[first + 4]!),
    actor: {
      type: values[first + 5] as ActorType,
      id: values[first + 6] || null,
      name: undelimitText(values[first + 7]!),
    },
    note,
    liftId,
    own: toRecord(values[first + 8]!, [values[first + 9] as Cause], values[first + 10] || null, expiresAt),
    current: current && toRecord(current[0], causesIn(current[1]), current[2], current[3]),
    topic: topicId
      ? { id: topicId, key: key!, subscription: action === 'opted_in' ? 'opt_in' : 'opt_out' }
      : null,
    isErasure: erasure !== null,
  };
}

/** @param after - the record after the change; null if the address is no longer listed */
export function toFeedChange(line: FeedLine, position: number, after: FeedRecord | null): FeedChange {
  const { id, email, own, topic, actor, note, liftId, createdAt } = line;
  const type = line.isErasure ? 'contact.erased' : typeOf(line.action, after !== null);
  return {
    id,
    position,
    type,
    email,
    revision: Number(line.revision),
    suppression: after && toSuppression(email, after),
    causes: after ? after.causes : [],
    expiresAt: after && after.expiresAt,
    removed: type === 'suppression.removed' || isRemoval(line) ? toSuppression(email, own) : null,
    erased: line.isErasure ? { suppressionId: own.id || null } : null,
    topic,
    actor,
    note,
    liftId,
    createdAt,
  };
}

/** Whether the line erased a record that was on the list. */
function isRemoval({ isErasure, action }: FeedLine): boolean {
  return isErasure && action === 'removed';
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

function toRecord(
  id: string,
  causes: readonly Cause[],
  emailId: string | null,
  expiresAt: string | null,
): FeedRecord {
  return { id, causes, emailId, expiresAt: expiresAt && toIsoTimestamp(expiresAt) };
}

function toSuppression(email: EmailAddress, { id, causes, emailId }: FeedRecord): FoundSuppression {
  return { id, email, cause: causes[0]!, emailId };
}
