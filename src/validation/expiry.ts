import { Invalid } from './invalid.js';
import { parseInstant } from './timestamp.js';

/** Reads when something ends: a timestamp in the future. Null means never. */
export function parseExpiry(input: unknown): Date | null | Invalid {
  if (input === null) {
    return null;
  }
  const instant = parseInstant(input);
  if (instant instanceof Invalid) {
    return instant;
  }
  return instant.floor > Date.now() ? new Date(instant.floor) : new Invalid('must be in the future');
}
