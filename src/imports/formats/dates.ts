/** Seconds since 1970, as SendGrid and SES write them. */
const UNIX_SECONDS = /^\d{9,10}(?:\.\d{1,9})?$/;
/** A date, or a date and a time; without an offset it is UTC. PostgreSQL writes an offset of whole hours as `+00`. */
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/i;
/** RFC 2822, section 3.3, with the zones that everybody reads alike. */
const RFC_2822 =
  /^(?:[a-z]{3}, ?)?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d:\d\d(?::\d\d)?) (?:GMT|UTC|Z|([+-]\d{4}))$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Clocks differ. What is later than this is a mistake. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** Reads a date in any of the forms that providers use. Returns null if it is in none of them, or before 1970. */
export function parseDate(text: string): Date | null {
  const iso = UNIX_SECONDS.test(text) ? null : toIso(text);
  const milliseconds =
    iso === null ? (UNIX_SECONDS.test(text) ? Math.floor(Number(text) * 1000) : NaN) : Date.parse(iso);
  return milliseconds >= 0 ? new Date(milliseconds) : null;
}

/** Like {@link parseDate}, for a moment that has passed. One that is slightly ahead becomes `now`. */
export function parsePastDate(text: string, now: Date): Date | null {
  const date = parseDate(text);
  if (!date || date.getTime() > now.getTime() + MAX_AHEAD_MS) {
    return null;
  }
  return date > now ? now : date;
}

function toIso(text: string): string | null {
  const iso = ISO.exec(text);
  if (iso) {
    const [, day, time = '00:00', fraction, offset = 'Z'] = iso;
    return isDay(day!)
      ? `${day}T${withSeconds(time)}.${(fraction ?? '').padEnd(3, '0').slice(0, 3)}${toOffset(offset)}`
      : null;
  }
  const [, day, monthName, year, time, offset = 'Z'] = RFC_2822.exec(text) ?? [];
  const month = MONTHS.indexOf(monthName?.toLowerCase() ?? '') + 1;
  if (!day || month === 0) {
    return null;
  }
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(date) ? `${date}T${withSeconds(time!)}.000${toOffset(offset)}` : null;
}

function withSeconds(time: string): string {
  return time.length === 5 ? `${time}:00` : time;
}

function toOffset(offset: string): string {
  if (/^(?:Z|UTC)$/i.test(offset)) {
    return 'Z';
  }
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  return `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
