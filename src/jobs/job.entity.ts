import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity.js';

export const JOB_KINDS = ['import', 'revert', 'lift', 'compare', 'pull'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** A job whose file is still arriving is `uploading`, and not visible to callers. */
export const JOB_STATUSES = [
  'uploading',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'reverted',
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** Background work of an account. Whichever instance holds the lease does it, from its checkpoint on. */
@Entity('jobs')
@Index('jobs_pending_idx', ['id'], { where: `status IN ('queued', 'running')` })
@Index('jobs_completed_at_idx', ['completedAt'])
@Index('jobs_uploading_idx', ['leasedUntil'], { where: `status = 'uploading'` })
export class Job {
  @ForeignKey(() => Account, { name: 'jobs_account_id_fkey' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  /** A UUIDv7, so ids are in the order of creation. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column({ type: 'enum', enum: [...JOB_KINDS], enumName: 'job_kind' })
  kind!: JobKind;

  @Column({ type: 'enum', enum: [...JOB_STATUSES], enumName: 'job_status' })
  status!: JobStatus;

  /** The progress, in a format of the job's handler. */
  @Column('jsonb')
  checkpoint!: unknown;

  /** Identifies the claim, so that an instance that lost its lease cannot continue. */
  @Column('uuid', { name: 'lease_id', nullable: true })
  leaseId!: string | null;

  /**
   * No other instance may take the job before this time. For a waiting job, it is the time from which the job may be taken; for
   * a completed job, the time until which its file is kept.
   */
  @Column({ type: 'timestamptz', name: 'leased_until', nullable: true })
  leasedUntil!: Date | null;

  /** How often the job was begun since it last made progress. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** How many of these attempts failed because of the service, not of the database. */
  @Column('integer', { default: 0 })
  failures!: number;

  /** How often its lease ran out since it last made progress: an instance died, froze, or could not reach the database. */
  @Column('integer', { default: 0 })
  losses!: number;

  /** Why the job failed, for the caller. */
  @Column('jsonb', { nullable: true })
  error!: JobError | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'completed_at', precision: 3, nullable: true })
  completedAt!: Date | null;
}

export interface JobError {
  code: string;
  message: string;
  /** The line of the file, counted from 1. */
  line?: number;
}

/** A piece of the file that a job reads, compressed by gzip. It is deleted when the job ends. */
@Entity('job_pieces')
@Index('job_pieces_first_idx', ['accountId', 'jobId'], { where: 'number = 0' })
@ForeignKey(() => Job, ['accountId', 'jobId'], ['accountId', 'id'], {
  name: 'job_pieces_job_id_fkey',
  onDelete: 'CASCADE',
})
export class JobPiece {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('uuid', { name: 'job_id' })
  jobId!: string;

  @PrimaryColumn('integer')
  number!: number;

  @Column({ type: 'bytea', comment: 'UTF-8, compressed by gzip' })
  data!: Buffer;
}
