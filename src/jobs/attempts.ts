import { isDatabaseUnavailable } from '../database/errors.js';
import { AddressBeingErasedError, KeptBlocksUnreadableError } from '../pseudonyms/errors.js';
import { JobFailedError, JobInterruptedError, JobPausedError } from './job-handler.js';
import type { JobError } from './job.entity.js';

/** A job fails after this many errors of the service without progress. */
const MAX_FAILURES = 5;
/**
 * With the pauses between attempts, this takes an hour and a half, which is longer than a failover, and longer than any lock on
 * the list is held.
 */
const MAX_ATTEMPTS_WITHOUT_DATABASE = 100;
/** A job fails after its lease has run out this often. Each loss may have ended a process, with all its other work. */
export const MAX_LOSSES = 10;
const LONGEST_PAUSE_SECONDS = 60;
/** The pause while an erasure that keeps the block of an address is running. */
const ERASURE_PAUSE_SECONDS = 5;

export const SERVICE_FAILED: JobError = {
  code: 'internal_server_error',
  message: 'Something went wrong on our side. The log of the service has more.',
};
const DATABASE_FAILED: JobError = {
  code: 'service_unavailable',
  message: 'The database failed too often. The log of the service has more. Try again when it works.',
};

const EXPECTED = [JobFailedError, JobInterruptedError, JobPausedError, AddressBeingErasedError];

/** Whether the error that ended an attempt was caused neither by the service nor by its database. */
export function isExpected(error: unknown): boolean {
  return EXPECTED.some((expected) => error instanceof expected);
}

/** The attempts since the job last made progress. */
export interface AttemptCounts {
  /** All attempts, including the one that failed. */
  attempts: number;
  /** The earlier attempts that failed because of the service. */
  failures: number;
}

export type NextStep = { failure: JobError } | { pauseSeconds: number; failures: number };

/**
 * Decides what happens to a job after an error. The number of attempts is limited; attempts that failed because of the service
 * have a lower limit.
 */
export function decideNextStep(error: unknown, { attempts, failures }: AttemptCounts): NextStep {
  if (error instanceof JobFailedError) {
    return { failure: error.error };
  }
  if (error instanceof JobInterruptedError) {
    return { pauseSeconds: 0, failures };
  }
  if (error instanceof JobPausedError) {
    return { pauseSeconds: error.seconds, failures };
  }
  if (error instanceof AddressBeingErasedError || error instanceof KeptBlocksUnreadableError) {
    return { pauseSeconds: ERASURE_PAUSE_SECONDS, failures };
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
