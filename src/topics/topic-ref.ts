import { refPipe } from '../http/ref.pipe.js';
import { Invalid, parseId } from '../validation/parsers.js';
import { parseTopicKey } from './topic-key.js';

/** How a caller names a topic: by its id or by its key. */
export type TopicRef = { id: string } | { key: string };

/** A key that looks like an id is read as an id. */
export function parseTopicRef(input: unknown): TopicRef | Invalid {
  const id = parseId(input);
  if (!(id instanceof Invalid)) {
    return { id };
  }
  const key = parseTopicKey(input);
  return key instanceof Invalid ? new Invalid('must be the id or the key of a topic') : { key };
}

export const TopicRefPipe = refPipe('topic', parseTopicRef);
