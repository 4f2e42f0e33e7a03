/** Text that PostgreSQL stores: every character but NUL; half a surrogate pair is not a character. */
export const STORABLE = /^[^\0\p{Cs}]*$/u;

/**
 * @param maxLength - in Unicode characters
 * @returns null if it is no text, is empty, is too long, or cannot be stored
 */
export function trimmedText(input: unknown, maxLength: number): string | null {
  const text = typeof input === 'string' ? input.trim() : '';
  return text !== '' && [...text].length <= maxLength && STORABLE.test(text) ? text : null;
}
