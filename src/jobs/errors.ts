import type { JobError } from './job.entity.js';

/** Another instance has the job, another job has to run first, the job was cancelled, or this instance stops. */
export class JobInterruptedError extends Error {
  override readonly name = 'JobInterruptedError';
}

/** The job must wait for something outside the service. Other jobs run meanwhile. */
export class JobPausedError extends Error {
  override readonly name = 'JobPausedError';

  constructor(readonly seconds: number) {
    super();
  }
}

/** Trying the job again would not help. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';

  /** @param line - of the file, counted from 1 */
  constructor(
    private readonly code: string,
    message: string,
    private readonly line?: number,
  ) {
    super(message);
  }

  toJobError(): JobError {
    const { code, message, line } = this;
    return { code, message, ...(line !== undefined && { line }) };
  }
}
