import { Invalid } from './invalid.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads a UUID of any version, in either letter case, as lower case. */
export function parseId(input: unknown): string | Invalid {
  return typeof input === 'string' && UUID.test(input) ? input.toLowerCase() : new Invalid('must be a UUID');
}
