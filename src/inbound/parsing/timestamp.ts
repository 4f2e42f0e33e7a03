/** RFC 3339, with a T and a time zone. `Date` would guess the meaning of other formats. */
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;
const MAIL_DATE = /\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UT)\b/i;
const DIGITS = /^\d{1,13}(?:\.\d+)?$/;
/** The latest time that PostgreSQL and every calendar can represent. */
const LATEST = Date.UTC(9999, 0);
/** More than the difference between time zones. A clock that is further ahead is wrong. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

export function isTooFarAhead(occurredAt: number, now: number): boolean {
  return occurredAt > now + MAX_AHEAD_MS;
}

export function fromIso(text: string | undefined): Date | null {
  return text !== undefined && ISO_8601.test(text) ? within(Date.parse(text)) : null;
}

/** RFC 5322, section 3.3, with the numeric time zone that every mail server writes, or GMT. */
export function fromMailDate(text: string): Date | null {
  const [date] = MAIL_DATE.exec(text) ?? [];
  return date === undefined ? null : within(Date.parse(date));
}

/** Seconds since 1970, with or without a fraction, as a number or in digits. */
export function fromEpochSeconds(seconds: number | string | undefined): Date | null {
  return DIGITS.test(String(seconds)) ? within(Number(seconds) * 1000) : null;
}

export function fromEpochMilliseconds(milliseconds: number | undefined): Date | null {
  return milliseconds === undefined ? null : within(milliseconds);
}

function within(milliseconds: number): Date | null {
  return milliseconds >= 0 && milliseconds < LATEST ? new Date(Math.floor(milliseconds)) : null;
}
