import { Invalid } from '../validation/parsers.js';

export const PERIOD = /^(\d{1,4})d$/;
const MAX_PERIODS = 10;
const MAX_DAYS = 3_650;

export const PERIODS = `1 to ${MAX_PERIODS} periods in days, each of at most ${MAX_DAYS}, such as 7d and 30d`;
export const NEITHER_NULL_NOR_PERIODS = `must be null, or ${PERIODS}`;

/**
 * Parses the periods after which bounces expire: `['7d', '30d']`. No period may be shorter than the one before it. Null means
 * that bounces never expire. As the last element, it means that later bounces never expire, which is the default.
 *
 * @returns days
 */
export function parseBounceExpiry(input: unknown): number[] | null | Invalid {
  if (input === null) {
    return null;
  }
  const given: unknown[] = Array.isArray(input) ? input : [];
  const periods = given.at(-1) === null ? given.slice(0, -1) : given;
  if (given.length === 1 && periods.length === 0) {
    return null;
  }
  const days = periods.map(daysOf);
  if (
    days.length < 1 ||
    days.length > MAX_PERIODS ||
    !days.every((count) => count >= 1 && count <= MAX_DAYS)
  ) {
    return new Invalid(NEITHER_NULL_NOR_PERIODS);
  }
  const decrease = days.findIndex((count, index) => index > 0 && count < days[index - 1]!);
  return decrease < 0
    ? days
    : new Invalid(`must not decrease: ${days[decrease]}d follows ${days[decrease - 1]}d`);
}

export function formatBounceExpiry(days: number[] | null): string[] | null {
  return days && days.map((count) => `${count}d`);
}

/** Providers redeliver an event for days. If the event has been deleted by then, the redelivery counts as a new event. */
const MIN_RETENTION_DAYS = 7;
export const RETENTION_PERIOD = `a period of ${MIN_RETENTION_DAYS} to ${MAX_DAYS} days, such as 30d`;
export const NEITHER_NULL_NOR_RETENTION = `must be null, or ${RETENTION_PERIOD}`;

/** @returns days; null for the setting of the service */
export function parseInboxRetention(input: unknown): number | null | Invalid {
  if (input === null) {
    return null;
  }
  const days = daysOf(input);
  return days >= MIN_RETENTION_DAYS && days <= MAX_DAYS ? days : new Invalid(NEITHER_NULL_NOR_RETENTION);
}

export function formatInboxRetention(days: number | null): string | null {
  return days === null ? null : `${days}d`;
}

function daysOf(period: unknown): number {
  return typeof period === 'string' ? Number(PERIOD.exec(period)?.[1]) : NaN;
}
