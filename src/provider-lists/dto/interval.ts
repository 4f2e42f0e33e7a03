import { Invalid } from '../../validation/invalid.js';

const INTERVAL = /^([1-9]\d{0,2})([hd])$/;
const DAY_HOURS = 24;
const MAX_HOURS = 30 * DAY_HOURS;

export const INTERVAL_RULE = 'must be from 1h to 30d, in hours or days, such as 6h or 1d';

/** @returns hours */
export function parseInterval(input: unknown): number | Invalid {
  const [, number, unit] = (typeof input === 'string' && INTERVAL.exec(input)) || [];
  const hours = Number(number) * (unit === 'd' ? DAY_HOURS : 1);
  return hours <= MAX_HOURS ? hours : new Invalid(INTERVAL_RULE);
}

export function formatInterval(hours: number): string {
  return hours % DAY_HOURS === 0 ? `${hours / DAY_HOURS}d` : `${hours}h`;
}
