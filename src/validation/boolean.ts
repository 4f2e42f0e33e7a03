import { Invalid } from './invalid.js';

/** Reads a query parameter that is true or false. */
export function parseBoolean(input: unknown): boolean | Invalid {
  return input === 'true' || input === 'false' ? input === 'true' : new Invalid('must be true or false');
}
