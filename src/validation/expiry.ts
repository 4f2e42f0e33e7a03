import { Invalid } from './invalid.js';
import { parseTimestamp } from './timestamp.js';

/** Parses an expiry: a timestamp in the future. */
export function parseExpiry(input: unknown): Date | Invalid {
  const timestamp = parseTimestamp(input);
  if (timestamp instanceof Invalid) {
    return timestamp;
  }
  return timestamp.floor > Date.now() ? new Date(timestamp.floor) : new Invalid('must be in the future');
}
