import { DAY_MS, startOfDay, timesAt } from './time-zone.js';

/** What the caller says about the dates of a file. */
export interface DateOptions {
  /** A form of dates that does not mean the same everywhere; null if the file has none. */
  format: DateFormat | null;
  /** The IANA zone of times without an offset. */
  timeZone: string;
}

/** The times that a text can mean: a day, an hour that the clocks showed twice, or a single time. */
export interface Period {
  earliest: Date;
  latest: Date;
}

/** How the dates of a file are read by default. */
export const UTC_DATES: DateOptions = { format: null, timeZone: 'UTC' };

/** Seconds since 1970, as SendGrid and SES write them. */
const UNIX_SECONDS = /^\d{9,10}(?:\.\d{1,9})?$/;
/** ISO 8601, and other dates that begin with the year. PostgreSQL writes an offset of whole hours as `+00`. */
const YEAR_FIRST =
  /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T ](\d{1,2}):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/i;
/** RFC 2822, section 3.3, with the unambiguous zones. */
const RFC_2822 =
  /^(?:[a-z]{3}, ?)?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (?:GMT|UTC|Z|([+-]\d{4}))$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** How far a date may be in the future, because clocks differ. A later date is a mistake. */
const MAX_AHEAD_MS = DAY_MS;
const MINUTE_MS = 60 * 1000;

/** Parses a date in any of the forms that providers use. Returns null if it has none of them, or is before 1970. */
export function parseDate(text: string): Date | null {
  return parsePeriod(text, UTC_DATES)?.earliest ?? null;
}

/** Parses a past date. One that is slightly ahead begins `now`. Returns null like {@link parseDate}. */
export function parsePastPeriod(text: string, now: Date, options: DateOptions): Period | null {
  const period = parsePeriod(text, options);
  if (!period || period.earliest.getTime() > now.getTime() + MAX_AHEAD_MS) {
    return null;
  }
  return period.earliest > now ? { ...period, earliest: now } : period;
}

function parsePeriod(text: string, { format, timeZone }: DateOptions): Period | null {
  const [earliest = NaN, latest = earliest] = UNIX_SECONDS.test(text)
    ? [Math.floor(Number(text) * 1000)]
    : (parseYearFirst(text, timeZone) ?? parseRfc2822(text) ?? parseNamed(text, format, timeZone) ?? []);
  return earliest >= 0 ? { earliest: new Date(earliest), latest: new Date(latest) } : null;
}

/**
 * The earliest and possibly the latest time of a text, in milliseconds; empty if there is no such time. Null if the text has
 * another form.
 */
type Times = number[] | null;

function parseYearFirst(text: string, zone: string): Times {
  const parts = YEAR_FIRST.exec(text);
  if (!parts) {
    return null;
  }
  const [, year, , month, day, hour, minute = '0', second = '0', fraction = '', offset] = parts;
  const milliseconds = fraction === '' ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3));
  const time = utcOf([year!, month!, day!, hour ?? '0', minute, second]) + milliseconds;
  return offset === undefined ? inZone(time, hour === undefined, zone) : [time - offsetOf(offset)];
}

function parseRfc2822(text: string): Times {
  const parts = RFC_2822.exec(text);
  if (!parts) {
    return null;
  }
  const [, day, monthName, year, hour, minute, second = '0', offset = ''] = parts;
  const month = String(MONTHS.indexOf(monthName!.toLowerCase()) + 1);
  return [utcOf([year!, month, day!, hour!, minute!, second]) - offsetOf(offset)];
}

function parseNamed(text: string, format: DateFormat | null, zone: string): Times {
  const parts = format && splitDate(text, format);
  return parts && inZone(utcOf(parts), !text.includes(':'), zone);
}

/** @param local - a time of the zone, as if it were UTC */
function inZone(local: number, isDay: boolean, zone: string): number[] {
  if (Number.isNaN(local)) {
    return [];
  }
  if (zone === UTC_DATES.timeZone) {
    return isDay ? [local, local + DAY_MS - 1] : [local];
  }
  return isDay ? [startOfDay(local, zone), startOfDay(local + DAY_MS, zone) - 1] : timesAt(local, zone);
}

type SixNumbers = [number, number, number, number, number, number];

/** @returns NaN if there is no such time, since JavaScript accepts the 30th of February as the 2nd of March */
function utcOf(parts: DateParts): number {
  const [year, month, day, hour, minute, second] = parts.map(Number) as SixNumbers;
  const isTime = hour < 24 && minute < 60 && second < 60;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCFullYear() === year;
  return isTime && isDay ? date.getTime() : NaN;
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

/** Parts of a date and its time, in the order of `Date.UTC`; month and day from 1. */
type DateParts = [year: string, month: string, day: string, hour: string, minute: string, second: string];

/** Formats that do not mean the same everywhere, so the caller has to name one. */
export const DATE_FORMATS = ['dd.mm.yyyy', 'dd/mm/yyyy', 'dd-mm-yyyy', 'mm/dd/yyyy'] as const;

export type DateFormat = (typeof DATE_FORMATS)[number];

/** ` 14:05`, `, 14:05:30.123`, or ` 2:05 PM` */
const TIME = /(?:,? |T)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?: ?([AP])\.?M\.?)?/;

const PATTERNS = Object.fromEntries(
  DATE_FORMATS.map((format) => {
    const separator = format['dd'.length];
    const day = ['(\\d{1,2})', '(\\d{1,2})', '(\\d{4})'].join(`[${separator}]`);
    return [format, new RegExp(`^${day}(?:${TIME.source})?$`, 'i')];
  }),
) as Record<DateFormat, RegExp>;

/** Splits a date with or without a time. Returns null if it does not have the format. */
function splitDate(text: string, format: DateFormat): DateParts | null {
  const parts = PATTERNS[format].exec(text);
  if (!parts) {
    return null;
  }
  const [, first, second, year, hour = '0', minute = '0', seconds = '0', half] = parts;
  const [month, day] = format.startsWith('mm') ? [first, second] : [second, first];
  const hourOfDay = half === undefined ? hour : toHourOfDay(Number(hour), half);
  return hourOfDay === null ? null : [year!, month!, day!, hourOfDay, minute, seconds];
}

/** Whether a text is a date in a format that the caller has to name. */
export function needsDateFormat(text: string): boolean {
  return DATE_FORMATS.some((format) => PATTERNS[format].test(text));
}

/** @param half - A for the hours before noon, or P */
function toHourOfDay(hour: number, half: string): string | null {
  const isHour = hour >= 1 && hour <= 12;
  return isHour ? String((hour % 12) + (half.toUpperCase() === 'P' ? 12 : 0)) : null;
}
