import { DeadlineExceededError } from './errors.js';
import { codeOf } from './unavailable.js';

/** PostgreSQL: cancelled by the statement timeout. */
const QUERY_CANCELED = '57014';
/** pg: no connection of the pool became free in time. */
const POOL_EXHAUSTED = 'timeout exceeded when trying to connect';
/** PostgreSQL: transaction rollback, as when replication must remove rows that a long read still sees. */
export const CONFLICT = /^40/;

export function isOutOfTime(error: unknown): boolean {
  return (
    error instanceof DeadlineExceededError ||
    codeOf(error) === QUERY_CANCELED ||
    (error as Error).message === POOL_EXHAUSTED
  );
}

/** Messages of PostgreSQL may quote addresses. */
export function problemOf(error: unknown): string {
  return codeOf(error) || (error as Error).message;
}
