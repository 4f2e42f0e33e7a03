/** Parts of a date and its time, in the order of `Date.UTC`; month and day from 1. */
export type DateParts = [
  year: string,
  month: string,
  day: string,
  hour: string,
  minute: string,
  second: string,
];

const DAY_FIRST = { day: 1, month: 2, year: 3 };

/** Where the parts of a day are. The formats do not mean the same everywhere, so the caller has to name one. */
const FORMATS = {
  'dd.mm.yyyy': { day: /(\d{1,2})\.(\d{1,2})\.(\d{4})/, parts: DAY_FIRST },
  'dd/mm/yyyy': { day: /(\d{1,2})\/(\d{1,2})\/(\d{4})/, parts: DAY_FIRST },
  'dd-mm-yyyy': { day: /(\d{1,2})-(\d{1,2})-(\d{4})/, parts: DAY_FIRST },
  'mm/dd/yyyy': { day: /(\d{1,2})\/(\d{1,2})\/(\d{4})/, parts: { month: 1, day: 2, year: 3 } },
  'yyyy/mm/dd': { day: /(\d{4})\/(\d{1,2})\/(\d{1,2})/, parts: { year: 1, month: 2, day: 3 } },
} satisfies Record<string, { day: RegExp; parts: Record<'year' | 'month' | 'day', number> }>;

export type DateFormat = keyof typeof FORMATS;

export const DATE_FORMATS = Object.keys(FORMATS) as DateFormat[];

/** ` 14:05`, `, 14:05:30.123`, or ` 2:05 PM` */
const TIME = /(?:,? |T)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?: ?([AP])\.?M\.?)?/;

const PATTERNS = Object.fromEntries(
  DATE_FORMATS.map((format) => [
    format,
    new RegExp(`^${FORMATS[format].day.source}(?:${TIME.source})?$`, 'i'),
  ]),
) as Record<DateFormat, RegExp>;

/** Splits a date with or without a time. Returns null if it does not have the format. */
export function splitDate(text: string, format: DateFormat): DateParts | null {
  const found = PATTERNS[format].exec(text);
  if (!found) {
    return null;
  }
  const { year, month, day } = FORMATS[format].parts;
  const [hour = '0', minute = '0', second = '0', half] = found.slice(4);
  return [found[year]!, found[month]!, found[day]!, hourOf(hour, half), minute, second];
}

/** Whether a text is a date in a format that the caller has to name. */
export function needsDateFormat(text: string): boolean {
  return DATE_FORMATS.some((format) => PATTERNS[format].test(text));
}

/** @returns the hour of a day; `NaN` if a clock of twelve hours has no such hour */
function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) {
    return hour;
  }
  const isHour = Number(hour) >= 1 && Number(hour) <= 12;
  return isHour ? String((Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0)) : 'NaN';
}
