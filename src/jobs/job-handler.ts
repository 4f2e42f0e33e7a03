import type { EntityManager } from 'typeorm';
import type { JobError, JobStatus } from './job.entity.js';

export interface JobKey {
  accountId: number;
  id: string;
}

export interface RunningJob extends JobKey {
  checkpoint: unknown;
  /** How often the job was begun since it last made progress. */
  readonly attempts: number;
  /** Aborted when the instance stops. */
  stopping: AbortSignal;
  /**
   * Runs a part of the work, and advances the checkpoint to its result in the same transaction.
   *
   * @throws {JobInterruptedError} when another instance has the job, another job has to run first, or the instance stops
   */
  advance<Checkpoint>(work: (transaction: EntityManager) => Promise<Checkpoint>): Promise<Checkpoint>;
}

export interface JobHandler {
  /**
   * Runs the job from its checkpoint.
   *
   * @returns the final status of the job
   * @throws {JobFailedError} when trying again would not help
   * @throws {JobPausedError} to be run again later
   */
  run(job: RunningJob): Promise<JobStatus>;

  /** Called in the transaction that ends a job, whether it failed or not, unless it was cancelled. */
  onEnd?(job: JobKey, status: JobStatus, transaction: EntityManager): Promise<void>;
}

/** Another instance has the job, another job must run first, the job was cancelled, or this instance is stopping. */
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

/** Retrying the job would not help. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
  readonly error: JobError;

  /** @param line - of the file, counted from 1 */
  constructor(code: string, message: string, line?: number) {
    super(message);
    this.error = { code, message, ...(line !== undefined && { line }) };
  }
}
