const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

/** Eleven years of days, each in the slot of its last 12 bits. */
const CACHED_DAYS = 4_096;
const days = Array.from({ length: CACHED_DAYS }, () => NaN);
const dates = Array.from({ length: CACHED_DAYS }, () => '');

/**
 * `new Date(milliseconds).toISOString()` in a fifth of the time: the dates of earlier calls are cached, and the digits of the
 * time are looked up.
 *
 * @param milliseconds - a whole number
 */
export function isoTimestampOf(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY_MS);
  const slot = day & (CACHED_DAYS - 1);
  if (days[slot] !== day) {
    days[slot] = day;
    dates[slot] = new Date(day * DAY_MS).toISOString().split('T')[0]!;
  }
  const msOfDay = milliseconds - day * DAY_MS;
  const seconds = Math.floor(msOfDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${dates[slot]}T${time}.${THREE_DIGITS[msOfDay % 1_000]}Z`;
}

/**
 * A timestamp that PostgreSQL printed, to the millisecond. PostgreSQL omits trailing zeros, and the point if nothing follows
 * it.
 *
 * @param text - of the SQL `timestamp AT TIME ZONE 'UTC'`, which takes less time than `to_char`
 */
export function toIsoTimestamp(text: string): string {
  const time = text.slice(11, 23);
  return `${text.slice(0, 10)}T${time}${'.000'.slice(time.length - '09:30:00'.length)}Z`;
}
