import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { inStep, transactionBefore } from '../database/transaction.js';
import type { Job, JobError, JobKind, JobStatus } from './job.entity.js';

/** A lease is renewed several times before it ends. After a crash, another instance waits for its end. */
const LEASE = `interval '15 seconds'`;

export const IS_WAITING = `status IN ('queued', 'running') AND (leased_until IS NULL OR leased_until < now())`;

/**
 * An account runs one job at a time, so that no account keeps the others waiting. A comparison may run in addition, because it
 * does not change the list, and may wait for a provider.
 */
export const IS_NEXT_OF_ACCOUNT = `NOT EXISTS (
  SELECT FROM jobs AS other
  WHERE other.account_id = jobs.account_id
    AND other.status = 'running'
    AND other.leased_until >= now()
    AND (other.kind = 'compare') = (jobs.kind = 'compare')
)`;

export interface LeasedJob extends Pick<
  Job,
  'accountId' | 'id' | 'kind' | 'checkpoint' | 'attempts' | 'failures' | 'losses'
> {
  leaseId: string;
}

/** Two claims at the same moment would not see each other's job, and could take two jobs of one account. */
const CLAIM_LOCK = 7_235_690_441;

const LOCK_CLAIMS = new PreparedStatement<{ isLocked: boolean }>(
  'lock-job-claims',
  `SELECT pg_try_advisory_xact_lock(${CLAIM_LOCK}) AS "isLocked"`,
);

const CLAIM = new PreparedStatement<LeasedJob>(
  'claim-job',
  `UPDATE jobs
  SET status = 'running',
    lease_id = gen_random_uuid(),
    leased_until = now() + ${LEASE},
    attempts = attempts + 1,
    losses = losses + (lease_id IS NOT NULL)::integer,
    started_at = coalesce(started_at, clock_timestamp())
  FROM (
    SELECT account_id, id
    FROM jobs
    WHERE ${IS_WAITING} AND ${IS_NEXT_OF_ACCOUNT} AND kind::text = ANY ($1::text[])
    ORDER BY coalesce(leased_until, created_at), id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
  ) AS next
  WHERE jobs.account_id = next.account_id AND jobs.id = next.id
  RETURNING jobs.account_id AS "accountId", jobs.id, kind, lease_id AS "leaseId", checkpoint, attempts, failures, losses`,
);

const FIND_WAITING = new PreparedStatement<{ id: string }>(
  'find-waiting-job',
  `SELECT id
  FROM jobs
  WHERE ${IS_WAITING} AND ${IS_NEXT_OF_ACCOUNT} AND kind::text = ANY ($1::text[]) AND account_id IS DISTINCT FROM $2
  LIMIT 1`,
);

const IS_LEASED = 'account_id = $1 AND id = $2 AND lease_id = $3';

const RENEW = new PreparedStatement<{ id: string }>(
  'renew-job-lease',
  `UPDATE jobs SET leased_until = now() + ${LEASE} WHERE ${IS_LEASED} RETURNING id`,
);

const RELEASE = new PreparedStatement<{ id: string }>(
  'release-job',
  `UPDATE jobs
  SET leased_until = clock_timestamp() + $4 * interval '1 second',
    lease_id = NULL,
    failures = $5,
    attempts = CASE WHEN $4 = 0 THEN greatest(attempts - 1, 0) ELSE attempts END
  WHERE ${IS_LEASED}
  RETURNING id`,
);

const ADVANCE = new PreparedStatement<{ id: string }>(
  'advance-job',
  `UPDATE jobs
  SET checkpoint = $4, leased_until = now() + ${LEASE}, attempts = 0, failures = 0, losses = 0
  WHERE ${IS_LEASED}
  RETURNING id`,
);

const END = new PreparedStatement<{ id: string }>(
  'end-job',
  `UPDATE jobs
  SET status = $4,
    error = $5,
    completed_at = coalesce(completed_at, clock_timestamp()),
    leased_until = NULL,
    lease_id = NULL
  WHERE ${IS_LEASED}
  RETURNING id`,
);

/** Lets instances share the jobs. The instance that holds the lease of a job works on it. */
@Injectable()
export class JobLeasesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Whether a job could run now.
   *
   * @param exceptOf - the account whose jobs do not count
   */
  async isAnyWaiting(kinds: readonly JobKind[], exceptOf: number | null = null): Promise<boolean> {
    return (await FIND_WAITING.run(this.dataSource, [kinds, exceptOf])).length > 0;
  }

  /**
   * Takes the job that has waited longest and whose account has no other job running. Also returns null while another instance
   * is claiming.
   *
   * @param kinds - the kinds for which this instance has handlers; a later version may have queued others
   */
  async claim(kinds: readonly JobKind[]): Promise<LeasedJob | null> {
    if (!(await this.isAnyWaiting(kinds))) {
      return null;
    }
    return transactionBefore(this.dataSource, inStep(), async (transaction) => {
      const [lock] = await LOCK_CLAIMS.run(transaction, []);
      const [job = null] = lock!.isLocked ? await CLAIM.run(transaction, [kinds]) : [];
      return job;
    });
  }

  async renew({ accountId, id, leaseId }: LeasedJob): Promise<void> {
    await RENEW.run(this.dataSource, [accountId, id, leaseId]);
  }

  /**
   * Lets any instance continue the job after a pause. A pause of 0 seconds means that the job was
   * interrupted, which is not counted as an attempt.
   */
  async release({ accountId, id, leaseId }: LeasedJob, seconds: number, failures: number): Promise<void> {
    await RELEASE.run(this.dataSource, [accountId, id, leaseId, seconds, failures]);
  }

  /**
   * Advances the checkpoint of a job, and locks the job until the transaction ends.
   *
   * @returns false if the lease is lost: then the transaction must not be committed
   */
  async advance(
    { accountId, id, leaseId }: LeasedJob,
    checkpoint: unknown,
    transaction: EntityManager,
  ): Promise<boolean> {
    return (await ADVANCE.run(transaction, [accountId, id, leaseId, JSON.stringify(checkpoint)])).length > 0;
  }

  /** @returns false if the lease is lost */
  async end(
    { accountId, id, leaseId }: LeasedJob,
    status: JobStatus,
    error: JobError | null,
    transaction: EntityManager,
  ): Promise<boolean> {
    const ended = await END.run(transaction, [
      accountId,
      id,
      leaseId,
      status,
      error && JSON.stringify(error),
    ]);
    return ended.length > 0;
  }
}
