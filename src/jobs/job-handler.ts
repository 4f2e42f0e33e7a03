import type { EntityManager } from 'typeorm';
import type { JobStatus } from './job.entity.js';

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
   * Does a part of the work, which returns the new checkpoint, and moves the checkpoint in the same transaction.
   *
   * @throws {JobInterruptedError} when another instance has the job, another job has to run first, or the instance stops
   */
  advance<Checkpoint>(work: (transaction: EntityManager) => Promise<Checkpoint>): Promise<Checkpoint>;
}

export interface JobHandler {
  /**
   * Does the work from the checkpoint on.
   *
   * @returns the status of the job after it
   * @throws {JobFailedError} when trying again would not help
   * @throws {JobPausedError} to be run again later
   */
  run(job: RunningJob): Promise<JobStatus>;

  /** Called in the transaction that ends a job, whether it failed or not, unless somebody cancelled it. */
  onEnd?(accountId: number, jobId: string, status: JobStatus, transaction: EntityManager): Promise<void>;
}
