import { Invalid } from '../../validation/invalid.js';

/** The texts of a key as a cursor, opaque to callers. */
export function writeKeyCursor(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

export function parseKeyCursor(input: unknown, length: number): string[] | Invalid {
  const invalid = new Invalid('must be the cursor of the previous page');
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(input), 'base64url').toString());
    const isKey =
      Array.isArray(parts) &&
      parts.length === length &&
      parts.every((part) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0'));
    return isKey ? (parts as string[]) : invalid;
  } catch {
    return invalid;
  }
}
