import { Invalid } from './invalid.js';

/** RFC 3339, section 5.6, and a date alone, which is its midnight in UTC. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?(?:Z|[+-]\d\d:\d\d))?$/i;

/** Milliseconds since 1970. A timestamp with microseconds is between two of them. */
export interface Timestamp {
  /** The last millisecond that is not later. */
  floor: number;
  /** The first millisecond that is not earlier. */
  ceil: number;
}

/** A time without an offset from UTC is refused, because its meaning would depend on the machine. No id is before 1970. */
export function parseTimestamp(input: unknown): Timestamp | Invalid {
  const match = typeof input === 'string' ? TIMESTAMP.exec(input) : null;
  const floor = match ? Date.parse(match[0]) : NaN;
  if (!match || Number.isNaN(floor)) {
    const hint = typeof input === 'string' && input.includes(' ') ? ' (a + is written %2B in a URL)' : '';
    return new Invalid(
      `must be a date, or a timestamp in ISO 8601 with its offset: 2026-01-15T09:30:00Z${hint}`,
    );
  }
  if (!isDay(match[0])) {
    return new Invalid('must be on a day that exists');
  }
  if (floor < 0) {
    return new Invalid('must be in 1970 or later');
  }
  const isBetween = /[1-9]/.test(match[1]?.slice(3) ?? '');
  return { floor, ceil: isBetween ? floor + 1 : floor };
}

/** JavaScript accepts the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
