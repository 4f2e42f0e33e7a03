import type { Caller } from '../../api-keys/caller.js';
import { requireScope } from '../../api-keys/errors.js';
import { LONGEST_WRITE_MS } from '../../database/transaction.js';
import { parseCursor, type FeedCursor } from '../../ledger/feed-position.js';
import type { TopicRef } from '../../topics/topic-ref.js';
import { Invalid, parseTimestamp } from '../../validation/parsers.js';

export type RequestedPurpose =
  { type: 'any' } | { type: 'topic'; topic: TopicRef } | { type: 'transactional' };

/** The id and the key of a topic, one of which is null. */
export function topicParameters(topic: TopicRef): (string | null)[] {
  return 'id' in topic ? [topic.id, null] : [null, topic.key];
}

/**
 * Unsubscribes do not stop transactional mail, so a check for such mail needs a separate scope.
 *
 * @throws {RestrictedApiKeyError}
 */
export function requestedPurpose(
  { scopes }: Caller,
  { topic, transactional }: { topic?: TopicRef | null; transactional?: boolean | null },
): RequestedPurpose {
  if (!transactional) {
    return topic ? { type: 'topic', topic } : { type: 'any' };
  }
  requireScope(scopes, 'suppressions:check-transactional');
  return { type: 'transactional' };
}

const LOOKS_LIKE_TIME = /^\d{4}-/;
const NEITHER = 'must be a timestamp such as 2026-01-15T09:30:00Z, or a cursor of GET /changes';

/** A time in the past, in milliseconds since 1970, or a position in the feed. */
export type AsOf = { at: number } | FeedCursor;

export function parseAsOf(input: unknown): AsOf | Invalid {
  const cursor = parseCursor(input);
  if (!(cursor instanceof Invalid)) {
    return cursor;
  }
  const timestamp = parseTimestamp(input);
  if (timestamp instanceof Invalid) {
    return typeof input === 'string' && LOOKS_LIKE_TIME.test(input) ? timestamp : new Invalid(NEITHER);
  }
  const latest = Date.now() - LONGEST_WRITE_MS;
  return timestamp.ceil > latest ? new Invalid(tooRecent(latest)) : { at: timestamp.floor };
}

function tooRecent(latest: number): string {
  const seconds = LONGEST_WRITE_MS / 1000;
  return (
    `must be at least ${seconds} seconds ago, ${new Date(latest).toISOString()} or earlier, so that every change of that time ` +
    'is known; leave it out to ask about now'
  );
}
