import { Invalid } from '../validation/parsers.js';

/** What is wrong with a cursor that belongs to no page, or to a page of another group. */
export const UNKNOWN_CURSOR = 'must be the cursor of the previous page';

/** The key of a row. Its group is the kind of a line, or the status of a push. */
export type RowKey = [group: string, email: string, list: string, address: string];

export const FIRST_KEY: RowKey = ['', '', '', ''];

/** Makes a cursor, opaque to callers, from a key. */
export function writeCursor(...key: RowKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

export function parseCursor(input: unknown, groups: readonly string[]): RowKey | Invalid {
  const invalid = new Invalid(UNKNOWN_CURSOR);
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(input), 'base64url').toString());
    const isKey =
      Array.isArray(parts) &&
      parts.length === FIRST_KEY.length &&
      parts.every((part) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0')) &&
      groups.includes(parts[0] as string);
    return isKey ? (parts as RowKey) : invalid;
  } catch {
    return invalid;
  }
}
