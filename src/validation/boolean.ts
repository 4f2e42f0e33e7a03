import { Invalid } from './invalid.js';

export function parseBoolean(input: unknown): boolean | Invalid {
  return input === 'true' || input === 'false' ? input === 'true' : new Invalid('must be true or false');
}
