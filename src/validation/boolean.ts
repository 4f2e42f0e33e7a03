import { Invalid } from './invalid.js';

const PROBLEM = 'must be true or false';

/** A boolean in a query or a form. */
export function parseBoolean(input: unknown): boolean | Invalid {
  return input === 'true' || input === 'false' ? input === 'true' : new Invalid(PROBLEM);
}

/** A boolean in a JSON body. */
export function parseJsonBoolean(input: unknown): boolean | Invalid {
  return typeof input === 'boolean' ? input : new Invalid(PROBLEM);
}
