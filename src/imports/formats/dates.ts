/** Seconds since 1970, as SendGrid and SES write them. */
const UNIX_SECONDS = /^\d{9,10}(?:\.\d{1,9})?$/;
/** A date, or a date and a time; without an offset it is UTC. PostgreSQL writes an offset of whole hours as `+00`. */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/i;
/** RFC 2822, section 3.3, with the unambiguous zones. */
const RFC_2822 =
  /^(?:[a-z]{3}, ?)?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (?:GMT|UTC|Z|([+-]\d{4}))$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const DAY_MS = 24 * 60 * 60 * 1000;
/** Clocks differ, but a later date is a mistake. */
const MAX_AHEAD_MS = DAY_MS;
const MINUTE_MS = 60 * 1000;

/** Parses a date in any of the forms that providers use. Returns null if it has none of them, or is before 1970. */
export function parseDate(text: string): Date | null {
  const milliseconds = UNIX_SECONDS.test(text)
    ? Math.floor(Number(text) * 1000)
    : (parseIso(text) ?? parseRfc2822(text));
  return milliseconds >= 0 ? new Date(milliseconds) : null;
}

/** Like {@link parseDate}, for a past date. A date that is slightly ahead becomes `now`. */
export function parsePastDate(text: string, now: Date): Date | null {
  const date = parseDate(text);
  if (!date || date.getTime() > now.getTime() + MAX_AHEAD_MS) {
    return null;
  }
  return date > now ? now : date;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The latest time that a text can mean, whose {@link parseDate} is known. */
export function latestTimeOf(text: string, date: Date): Date {
  return DAY.test(text) ? new Date(date.getTime() + DAY_MS - 1) : date;
}

function parseIso(text: string): number | null {
  const parts = ISO.exec(text);
  if (!parts) {
    return null;
  }
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset = ''] = parts;
  const milliseconds = fraction === '' ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3));
  return utcOf([year!, month!, day!, hour, minute, second], offset) + milliseconds;
}

/** @returns NaN if the text is no date */
function parseRfc2822(text: string): number {
  const [, day = '', monthName = '', year = '', hour = '', minute = '', second = '0', offset = ''] =
    RFC_2822.exec(text) ?? [];
  const month = String(MONTHS.indexOf(monthName.toLowerCase()) + 1);
  return utcOf([year, month, day, hour, minute, second], offset);
}

type SixNumbers = [number, number, number, number, number, number];

/** @returns NaN if there is no such time, since JavaScript accepts the 30th of February as the 2nd of March */
function utcOf(parts: string[], offset: string): number {
  const [year, month, day, hour, minute, second] = parts.map(Number) as SixNumbers;
  const isTime = hour < 24 && minute < 60 && second < 60;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCFullYear() === year;
  return isTime && isDay ? date.getTime() - offsetOf(offset) : NaN;
}

/** @returns milliseconds ahead of UTC; NaN if there is no such offset */
function offsetOf(offset: string): number {
  if (!/^[+-]/.test(offset)) {
    return 0;
  }
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', ''));
  const isOffset = hours < 24 && minutes < 60;
  return isOffset ? (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS : NaN;
}
