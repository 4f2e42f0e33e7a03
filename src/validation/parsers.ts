/** The result of a parser that rejects its input. The problem ends a sentence that begins with the name of the field. */
export class Invalid {
  constructor(readonly problem: string) {}
}

const NOT_A_BOOLEAN = 'must be true or false';

/** A boolean in a query or a form. */
export function parseBoolean(input: unknown): boolean | Invalid {
  return input === 'true' || input === 'false' ? input === 'true' : new Invalid(NOT_A_BOOLEAN);
}

/** A boolean in a JSON body. */
export function parseJsonBoolean(input: unknown): boolean | Invalid {
  return typeof input === 'boolean' ? input : new Invalid(NOT_A_BOOLEAN);
}

/** Advice about a value with a space, which a `+` in a query stands for. */
export const PLUS_HINT = ' (a + is written %2B in a URL)';

/** RFC 3339, section 5.6; or a date alone, which means midnight in UTC. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?(?:Z|[+-]\d\d:\d\d))?$/i;

/** Milliseconds since 1970. A timestamp with microseconds is between two of them. */
export interface Timestamp {
  /** The last millisecond that is not later. */
  floor: number;
  /** The first millisecond that is not earlier. */
  ceil: number;
}

/**
 * Parses a timestamp. A time without an offset from UTC is refused, because its meaning would depend on the machine. Times
 * before 1970 are refused, because no id is that old.
 */
export function parseTimestamp(input: unknown): Timestamp | Invalid {
  const match = typeof input === 'string' ? TIMESTAMP.exec(input) : null;
  const floor = match ? Date.parse(match[0]) : NaN;
  if (!match || Number.isNaN(floor)) {
    const hint = typeof input === 'string' && input.includes(' ') ? PLUS_HINT : '';
    return new Invalid(
      `must be a date, or a timestamp in ISO 8601 with its offset: 2026-01-15T09:30:00Z${hint}`,
    );
  }
  if (!isDay(match[0])) {
    return new Invalid('must be a date that exists');
  }
  if (floor < 0) {
    return new Invalid('must be in 1970 or later');
  }
  const isBetween = /[1-9]/.test(match[1]?.slice(3) ?? '');
  return { floor, ceil: isBetween ? floor + 1 : floor };
}

/** Whether a day exists. JavaScript accepts the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Parses an expiry: a timestamp in the future. */
export function parseExpiry(input: unknown): Date | Invalid {
  const timestamp = parseTimestamp(input);
  if (timestamp instanceof Invalid) {
    return timestamp;
  }
  return timestamp.floor > Date.now() ? new Date(timestamp.floor) : new Invalid('must be in the future');
}

/** A UUID of any version (RFC 9562). */
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

/**
 * Text that a table and a log can show in one line: something visible, no control characters, line breaks, or unpaired
 * surrogates, and no invisible characters except joiners (U+200C, U+200D), which some scripts and emoji need.
 */
const NAME = /^(?=.*[^\s\u200c\u200d])(?:[\u200c\u200d]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]){1,100}$/u;

/** Whether a text may be a name: 1 to 100 characters. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Text that PostgreSQL can store: every character except NUL. Half a surrogate pair is not a character. */
export const STORABLE: RegExp = /^[^\0\p{Cs}]*$/u;

/** Replaces what PostgreSQL cannot store (NUL, unpaired surrogates) with U+FFFD, and truncates. */
export function storableText(text: string, maxLength: number): string {
  return text.replaceAll('\0', '\u{FFFD}').slice(0, maxLength).toWellFormed();
}

/**
 * @param maxLength - in Unicode characters
 * @returns null if the input is not a text, is empty or too long, or cannot be stored
 */
export function trimmedText(input: unknown, maxLength: number): string | null {
  const text = typeof input === 'string' ? input.trim() : '';
  return text !== '' && [...text].length <= maxLength && STORABLE.test(text) ? text : null;
}
