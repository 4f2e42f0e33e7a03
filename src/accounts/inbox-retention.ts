import { Invalid } from '../validation/invalid.js';

/** Providers repeat an event for days. If it is deleted before, the repetition counts as new. */
export const MIN_RETENTION_DAYS = 7;
export const MAX_RETENTION_DAYS = 3_650;
export const RETENTION_PERIOD = `a period of ${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS} days, such as 30d`;
export const NEITHER_NULL_NOR_RETENTION = `must be null, or ${RETENTION_PERIOD}`;

const PERIOD = /^(\d{1,4})d$/;

/** @returns days; null for the setting of the service */
export function parseInboxRetention(input: unknown): number | null | Invalid {
  if (input === null) {
    return null;
  }
  const days = typeof input === 'string' ? Number(PERIOD.exec(input)?.[1]) : NaN;
  return days >= MIN_RETENTION_DAYS && days <= MAX_RETENTION_DAYS
    ? days
    : new Invalid(NEITHER_NULL_NOR_RETENTION);
}

export function formatInboxRetention(days: number | null): string | null {
  return days === null ? null : `${days}d`;
}
