export const DAY_MS = 24 * 60 * 60 * 1000;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
const MAX_KNOWN_DAYS = 10_000;

/** A zone of the IANA database. */
interface Zone {
  formatter: Intl.DateTimeFormat;
  /** The offsets at the beginning of days in UTC. */
  offsets: Map<number, number>;
}

/** Keyed by canonical name. There are several hundred. */
const zones = new Map<string, Zone>();

/**
 * The canonical name of a zone of the IANA database, such as `Europe/Berlin` for `europe/berlin`. Null if there is no such zone.
 */
export function canonicalTimeZone(name: string): string | null {
  if (!/^[a-z]/i.test(name)) {
    return null;
  }
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/**
 * The times at which the clocks of a zone show a time: two in the hour that is repeated when daylight saving time ends, and
 * none in the hour that is skipped when it begins.
 *
 * @param local - the time as if it were UTC, in milliseconds
 * @param name - a canonical name
 */
export function timesAt(local: number, name: string): number[] {
  const zone = zoneOf(name);
  const times = candidates(local, zone);
  return times.length === 1 ? times : times.filter((time) => time + offsetAt(time, zone) === local);
}

/** The beginning of a day. If the clocks skip midnight, the day begins at that moment. */
export function startOfDay(local: number, name: string): number {
  return timesAt(local, name)[0] ?? Math.max(...candidates(local, zoneOf(name)));
}

/**
 * The possible times, given the offsets one day before and two days after. No zone changes its clocks twice within four days.
 */
function candidates(local: number, zone: Zone): number[] {
  const day = Math.floor(local / DAY_MS);
  const offsets = [offsetOnDay(day - 1, zone), offsetOnDay(day + 2, zone)];
  return [...new Set(offsets)].map((offset) => local - offset).sort((one, other) => one - other);
}

/** Caches the offset of a day: the rows of a file span few days, and formatting takes half as long as importing a row. */
function offsetOnDay(day: number, zone: Zone): number {
  let offset = zone.offsets.get(day);
  if (offset === undefined) {
    offset = offsetAt(day * DAY_MS, zone);
    if (zone.offsets.size === MAX_KNOWN_DAYS) {
      zone.offsets.clear();
    }
    zone.offsets.set(day, offset);
  }
  return offset;
}

/** @returns milliseconds ahead of UTC */
function offsetAt(time: number, { formatter }: Zone): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(formatter.format(time))!;
  const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ahead : ahead;
}

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    zone = { formatter, offsets: new Map() };
    zones.set(name, zone);
  }
  return zone;
}
