import type { ChangedEntry } from './provider.js';

/** Enough for no path to name a list instead of an entry: something before and after an @, and no control characters. */
const ADDRESS = /^[^\p{Cc}@]+(?:@[^\p{Cc}@]+)+$/u;

/** A program error: without its address, a request could be about the whole list. */
export class MissingAddressError extends Error {
  override readonly name = 'MissingAddressError';

  constructor() {
    super('a request about an entry needs its address');
  }
}

/**
 * The addresses of entries, for the body of a request.
 *
 * @throws {MissingAddressError} if there are none, or one of them is no address
 */
export function addressesOf(entries: readonly ChangedEntry[]): string[] {
  const addresses = entries.map(({ address }) => address);
  if (addresses.length === 0 || !addresses.every((address) => ADDRESS.test(address))) {
    throw new MissingAddressError();
  }
  return addresses;
}

/**
 * The address of the only entry, as a segment of a path.
 *
 * @throws {MissingAddressError}
 */
export function segmentOf(entries: readonly ChangedEntry[]): string {
  const [address, ...others] = addressesOf(entries);
  if (others.length > 0) {
    throw new MissingAddressError();
  }
  return percentEncode(address!);
}

/** RFC 3986, section 2.3: everything but unreserved characters. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
