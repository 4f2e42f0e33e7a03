/**
 * Parses the header Retry-After (RFC 9110, section 10.2.3): seconds or a date.
 *
 * @returns milliseconds, or null if there is no such time in the future
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) {
    return null;
  }
  const milliseconds = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return milliseconds > 0 ? milliseconds : null;
}
