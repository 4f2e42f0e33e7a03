import { Invalid } from './invalid.js';

/** RFC 9562, of any version. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The first and the last UUID in the order of PostgreSQL, so that a page of ids has a beginning and an end. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** Reads a UUID of any version, in either letter case, as lower case. */
export function parseId(input: unknown): string | Invalid {
  return typeof input === 'string' && isId(input) ? input.toLowerCase() : new Invalid('must be a UUID');
}

/** @param hex - 32 digits */
export function idFromHex(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The lowest UUIDv7 (RFC 9562, section 5.7) of a millisecond, in the order of PostgreSQL.
 *
 * @param milliseconds - since 1970
 */
export function lowestIdAt(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
