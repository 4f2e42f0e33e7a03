import { Invalid } from './invalid.js';
import { parseTimestamp } from './timestamp.js';

/** Parses an expiry: a timestamp in the future, or null for never. */
export function parseExpiry(input: unknown): Date | null | Invalid {
  if (input === null) {
    return null;
  }
  const timestamp = parseTimestamp(input);
  if (timestamp instanceof Invalid) {
    return timestamp;
  }
  return timestamp.floor > Date.now() ? new Date(timestamp.floor) : new Invalid('must be in the future');
}
