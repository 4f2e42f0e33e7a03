import type { Caller } from '../api-keys/caller.js';
import { RestrictedApiKeyError } from '../api-keys/errors.js';
import { allows } from '../api-keys/scopes.js';
import type { TopicRef } from '../topics/topic-ref.js';

export type RequestedPurpose =
  { type: 'any' } | { type: 'topic'; topic: TopicRef } | { type: 'transactional' };

/** Unsubscribes do not stop transactional mail, so a check for it needs a scope of its own. */
const SCOPE = 'suppressions:check-transactional';

/** @throws {RestrictedApiKeyError} */
export function requestedPurpose(
  { scopes }: Caller,
  { topic, transactional }: { topic?: TopicRef | null; transactional?: boolean | null },
): RequestedPurpose {
  if (!transactional) {
    return topic ? { type: 'topic', topic } : { type: 'any' };
  }
  if (!allows(scopes, SCOPE)) {
    throw new RestrictedApiKeyError(SCOPE);
  }
  return { type: 'transactional' };
}
