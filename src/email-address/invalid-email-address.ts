import { Invalid } from '../validation/invalid.js';

/** Why an input is not an address, as the end of a sentence. */
export class InvalidEmailAddress extends Invalid {}

/** Longer than the 254 bytes that RFC 5321 allows, because relays and signed return paths do use longer ones. */
export const MAX_ADDRESS_BYTES = 320;
/** Leaves room for white space around the address. */
export const MAX_INPUT_LENGTH = 2 * MAX_ADDRESS_BYTES;
export const TOO_LONG = new InvalidEmailAddress(`must not be longer than ${MAX_ADDRESS_BYTES} bytes`);
