/** Parts of a date and its time, in the order of `Date.UTC`; month and day from 1. */
export type DateParts = [
  year: string,
  month: string,
  day: string,
  hour: string,
  minute: string,
  second: string,
];

/** Formats that do not mean the same everywhere, so the caller has to name one. */
const FORMATS = {
  'dd.mm.yyyy': { separator: '.', isMonthFirst: false },
  'dd/mm/yyyy': { separator: '/', isMonthFirst: false },
  'dd-mm-yyyy': { separator: '-', isMonthFirst: false },
  'mm/dd/yyyy': { separator: '/', isMonthFirst: true },
};

export type DateFormat = keyof typeof FORMATS;

export const DATE_FORMATS = Object.keys(FORMATS) as DateFormat[];

/** ` 14:05`, `, 14:05:30.123`, or ` 2:05 PM` */
const TIME = /(?:,? |T)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?: ?([AP])\.?M\.?)?/;

const PATTERNS = Object.fromEntries(
  DATE_FORMATS.map((format) => {
    const { separator } = FORMATS[format];
    const day = ['(\\d{1,2})', '(\\d{1,2})', '(\\d{4})'].join(`[${separator}]`);
    return [format, new RegExp(`^${day}(?:${TIME.source})?$`, 'i')];
  }),
) as Record<DateFormat, RegExp>;

/** Splits a date with or without a time. Returns null if it does not have the format. */
export function splitDate(text: string, format: DateFormat): DateParts | null {
  const parts = PATTERNS[format].exec(text);
  if (!parts) {
    return null;
  }
  const [, first, second, year, hour = '0', minute = '0', seconds = '0', half] = parts;
  const [month, day] = FORMATS[format].isMonthFirst ? [first, second] : [second, first];
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
