import { ValidationError } from '../http/errors/errors.js';
import { Invalid } from '../validation/parsers.js';

/** What is wrong with a cursor that belongs to no page, or to a page of another kind or status. */
export const UNKNOWN_CURSOR = 'must be the cursor of the previous page';

/** Makes a cursor, opaque to callers, from the texts of a key. */
export function writeKeyCursor(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Refuses the cursor of lines of another kind, or of pushes of another status.
 *
 * @throws {ValidationError}
 */
export function requireCursorOf(group: string | undefined, after: readonly string[] | undefined): void {
  if (group && after && after[0] !== group) {
    throw ValidationError.ofFields([{ path: 'after', message: UNKNOWN_CURSOR }]);
  }
}

export function parseKeyCursor(input: unknown, length: number): string[] | Invalid {
  const invalid = new Invalid(UNKNOWN_CURSOR);
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
