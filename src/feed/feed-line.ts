import { delimitText, undelimitText } from '../database/delimited-rows.js';
import { isoTimestampOf, toIsoTimestamp } from '../database/iso-timestamp.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { createdMsOf } from '../suppressions/suppression-id.js';
import type { FeedChange, FeedChangeType, FeedSuppression } from './feed-change.js';

const BETWEEN_FIELDS = ',';

/**
 * SQL of the record after a change: every cause whose last line in the ledger, up to that of the change, added it. After a
 * change of a preference it is the current record, because lines of the list and of preferences have no order among each
 * other. Null if there is no record, and if the change added one, which is as its line says.
 */
const RECORD_AFTER = `
  CASE
    WHEN line.action IN ('strengthened', 'cause_added', 'cause_removed', 'expired') THEN (
      SELECT ${delimitRecord(
        'line.suppression_id',
        'bit_or(cause_bit(cause))',
        '(array_agg(email_id ORDER BY cause DESC))[1]',
        `nullif(max(coalesce(expires_at, 'infinity')) FILTER (WHERE cause < 'unsubscribe'), 'infinity')`,
      )}
      FROM (
        SELECT DISTINCT ON (cause) cause, action, email_id, expires_at
        FROM suppression_changes AS earlier
        WHERE earlier.account_id = $1
          AND earlier.email = line.email
          AND earlier.suppression_id = line.suppression_id
          AND earlier.revision <= line.revision
        ORDER BY cause, revision DESC
      ) AS last
      WHERE action IN ('added', 'strengthened', 'cause_added')
      HAVING count(*) > 0
    )
    WHEN line.topic_id IS NOT NULL THEN (
      SELECT ${delimitRecord('id', 'weaker_causes | cause_bit(cause)', 'email_id', 'expires_at')}
      FROM suppressions
      WHERE account_id = $1 AND email = line.email
    )
  END`;

/** SQL for {@link toFeedChange}, of a `position` and its `line` in the ledger of the account `$1`. */
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
  `coalesce(${RECORD_AFTER}, '')`,
  `coalesce(line.topic_id::text, '')`,
  `coalesce((SELECT key FROM topics WHERE account_id = $1 AND id = line.topic_id), '')`,
];

function delimitRecord(id: string, causes: string, emailId: string, expiresAt: string): string {
  return `concat_ws('${BETWEEN_FIELDS}', ${id}, ${causes}, coalesce(${emailId}::text, ''), coalesce(${timestamp(expiresAt)}, ''))`;
}

/** For {@link toIsoTimestamp}. */
function timestamp(column: string): string {
  return `(${column} AT TIME ZONE 'UTC')::text`;
}

interface ListedRecord {
  id: string;
  causes: readonly Cause[];
  emailId: string | null;
  expiresAt: string | null;
}

/** Reads a change of the feed from delimited values. */
export function toFeedChange(values: string[], first: number): FeedChange {
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
    recordAfter,
    topicId,
    topicKey,
  ] = values.slice(first, first + FEED_LINE_COLUMNS.length);
  const ofLine = toRecord(suppressionId!, [cause as Cause], emailId!, expiresAt!);
  const after = action === 'added' ? ofLine : undelimitRecord(recordAfter!);
  const type = typeOf(action as Action, after !== null);
  return {
    id,
    position: Number(position),
    type,
    email,
    revision: Number(revision),
    suppression: after && toSuppression(email as EmailAddress, after),
    causes: after?.causes ?? [],
    expiresAt: after?.expiresAt ?? null,
    removed: type === 'suppression.removed' ? toSuppression(email as EmailAddress, ofLine) : null,
    topic: topicId
      ? { id: topicId, key: topicKey, subscription: action === 'opted_in' ? 'opt_in' : 'opt_out' }
      : null,
    actor: { type: actorType, id: actorId || null, name: undelimitText(actorName!) },
    note: undelimitText(note!),
    createdAt: toIsoTimestamp(createdAt!),
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

function undelimitRecord(delimited: string): ListedRecord | null {
  if (delimited === '') {
    return null;
  }
  const [id, causes, emailId, expiresAt] = delimited.split(BETWEEN_FIELDS);
  return toRecord(id!, causesIn(Number(causes)), emailId!, expiresAt!);
}

function toRecord(id: string, causes: readonly Cause[], emailId: string, expiresAt: string): ListedRecord {
  return { id, causes, emailId: emailId || null, expiresAt: expiresAt ? toIsoTimestamp(expiresAt) : null };
}

function toSuppression(email: EmailAddress, { id, causes, emailId }: ListedRecord): FeedSuppression {
  const createdAt = isoTimestampOf(createdMsOf(id));
  return { id, email, cause: causes[0]!, emailId, createdAt };
}
