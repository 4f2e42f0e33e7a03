const DAY_MS = 24 * 60 * 60 * 1000;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Whether a text is the name of a zone in the IANA database, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) {
    return false;
  }
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', { timeZone: name }));
  } catch {
    return false;
  }
}

/**
 * The times at which the clocks of a zone show a time: two in the hour that is repeated when summer time ends, and none in the
 * hour that is left out when it begins.
 *
 * @param local - the time as if it were UTC, in milliseconds
 */
export function timesAt(local: number, zone: string): number[] {
  return candidates(local, zone).filter((time) => time + offsetAt(time, zone) === local);
}

/** The beginning of a day. If the clocks leave out its midnight, it begins when they do. */
export function startOfDay(local: number, zone: string): number {
  return timesAt(local, zone)[0] ?? Math.max(...candidates(local, zone));
}

/** No zone changes its clocks twice within two days. */
function candidates(local: number, zone: string): number[] {
  const offsets = [offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)];
  return [...new Set(offsets)].map((offset) => local - offset).sort((one, other) => one - other);
}

/** @returns milliseconds ahead of UTC */
function offsetAt(time: number, zone: string): number {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formatters.set(zone, formatter);
  }
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(formatter.format(time))!;
  const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ahead : ahead;
}
