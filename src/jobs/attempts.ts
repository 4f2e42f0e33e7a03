import { isDatabaseUnavailable } from '../database/is-database-unavailable.js';
import { JobFailedError, JobInterruptedError } from './errors.js';
import type { JobError } from './job.entity.js';

/** Errors of the service since the last progress: a job that never makes progress must not run for ever. */
const MAX_FAILURES = 5;
/** With the pauses between them, an hour and a half: longer than a failover, or than a lock on the list is held. */
const MAX_ATTEMPTS_WITHOUT_DATABASE = 100;
/** Each may have ended a process, with whatever else that was doing. */
const MAX_LOSSES = 10;
const LONGEST_PAUSE_SECONDS = 60;

const SERVICE_FAILED: JobError = {
  code: 'internal_server_error',
  message: 'Something went wrong on our side. The log of the service has more.',
};
const DATABASE_FAILED: JobError = {
  code: 'service_unavailable',
  message: 'The database failed too often. The log of the service has more. Try again when it works.',
};

/**
 * Why a job must not run again, if its instances keep dying of it.
 *
 * @param job - as it was claimed
 */
export function failureOf({ losses }: { losses: number }): JobError | null {
  return losses >= MAX_LOSSES ? SERVICE_FAILED : null;
}

/** Whether an error that ended an attempt is no fault of the service or its database. */
export function isExpected(error: unknown): boolean {
  return error instanceof JobFailedError || error instanceof JobInterruptedError;
}

/** Since the last progress of a job. */
export interface Attempts {
  /** All, with the one that failed. */
  attempts: number;
  /** Those that failed because of the service, without that one. */
  failures: number;
}

/** What becomes of a job after an error. */
export type Next = { failure: JobError } | { pauseSeconds: number; failures: number };

/** Decides what becomes of a job after an error: all attempts have a limit, and those that failed because of the service a lower one. */
export function nextAfter(error: unknown, { attempts, failures }: Attempts): Next {
  if (error instanceof JobFailedError) {
    return { failure: error.toJobError() };
  }
  if (error instanceof JobInterruptedError) {
    return { pauseSeconds: 0, failures };
  }
  if (isDatabaseUnavailable(error)) {
    return attempts >= MAX_ATTEMPTS_WITHOUT_DATABASE
      ? { failure: DATABASE_FAILED }
      : { pauseSeconds: pauseAfter(attempts), failures };
  }
  return failures + 1 >= MAX_FAILURES
    ? { failure: SERVICE_FAILED }
    : { pauseSeconds: pauseAfter(failures + 1), failures: failures + 1 };
}

function pauseAfter(count: number): number {
  return Math.min(2 ** (count - 1), LONGEST_PAUSE_SECONDS);
}
