/**
 * Parses a URL. With Node.js 20, `URL.canParse` begins to refuse URLs with letters such as `ü` after some thousand calls.
 *
 * @returns undefined if it is invalid
 */
export function toUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
