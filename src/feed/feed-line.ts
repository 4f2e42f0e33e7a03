import type { FeedLine } from './feed-change.js';

/** SQL for {@link toFeedLine}. */
export const FEED_LINE_COLUMNS = [
  'position',
  'id',
  'action',
  'email',
  'revision',
  `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  'actor_type',
  `coalesce(actor_id::text, '')`,
  `coalesce(suppression_id::text, '')`,
  `coalesce(cause::text, '')`,
  `coalesce(email_id::text, '')`,
  `coalesce(id_after::text, '')`,
  `coalesce(causes_after, 0)`,
  `coalesce(email_id_after::text, '')`,
  `coalesce(to_char(expires_at_after AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')`,
  `coalesce(topic_id::text, '')`,
  `coalesce(topic_key, '')`,
];

/** Reads a change of the feed from delimited values. */
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
    suppressionId,
    cause,
    emailId,
    idAfter,
    causesAfter,
    emailIdAfter,
    expiresAtAfter,
    topicId,
    topicKey,
  ] = values.slice(first, first + FEED_LINE_COLUMNS.length);
  return {
    position: Number(position),
    id: id!,
    action,
    email,
    revision: Number(revision),
    createdAt: createdAt!,
    actorType,
    actorId: actorId || null,
    suppressionId: suppressionId || null,
    cause: cause || null,
    emailId: emailId || null,
    idAfter: idAfter || null,
    causesAfter: Number(causesAfter),
    emailIdAfter: emailIdAfter || null,
    expiresAtAfter: expiresAtAfter || null,
    topicId: topicId || null,
    topicKey: topicKey!,
  } as FeedLine;
}
