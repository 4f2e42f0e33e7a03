import { createHash } from 'node:crypto';

const MAX_KEY_LENGTH = 200;
/** Visible ASCII without spaces: parts joined by a space can be told apart again. */
const PLAIN_PART = /^[\x21-\x7e]+$/;

/** A key made of parts that are unique at the provider: readable if they are short and plain, or else a hash. */
export function eventKey(...parts: string[]): string {
  const joined = parts.join(' ');
  const isPlain = joined.length <= MAX_KEY_LENGTH && parts.every((part) => PLAIN_PART.test(part));
  return isPlain ? joined : contentKey(parts);
}

/** A key for an event without a unique id: the same content is the same event. */
export function contentKey(content: unknown): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(content) ?? '')
    .digest('hex')}`;
}

/**
 * A key for an event without a unique id, made of the parts that identify it. An event that does not say when it happened
 * may happen again years later, so its key is made of its whole content.
 *
 * @param timestamp - one of the parts
 */
export function partsKey(event: unknown, parts: unknown[], timestamp: string | undefined): string {
  return contentKey(timestamp ? parts : event);
}
