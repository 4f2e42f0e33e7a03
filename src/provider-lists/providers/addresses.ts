import type { ChangedEntry } from './provider.js';

/**
 * Ensures that no path names a list instead of an entry: there is text before and after an @, and there are no control
 * characters.
 */
const ADDRESS = /^[^\p{Cc}@]+(?:@[^\p{Cc}@]+)+$/u;

/** A programming error: without an address, a request could affect the whole list. */
export class MissingAddressError extends Error {
  override readonly name = 'MissingAddressError';

  constructor() {
    super('a request about an entry needs its address');
  }
}

/**
 * The address of an entry, for the body of a request.
 *
 * @throws {MissingAddressError}
 */
export function addressOf({ address }: ChangedEntry): string {
  if (!ADDRESS.test(address)) {
    throw new MissingAddressError();
  }
  return address;
}

/**
 * The address of an entry, as a segment of a path.
 *
 * @throws {MissingAddressError}
 */
export function segmentOf(entry: ChangedEntry): string {
  return percentEncode(addressOf(entry));
}

/** RFC 3986, section 2.3: everything but unreserved characters. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
