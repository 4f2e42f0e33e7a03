import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { JobError, JobKind, JobStatus } from './job.entity.js';

/** Renewed several times before it ends. After a crash, another instance waits for its end. */
const LEASE = `interval '15 seconds'`;
/** A client that sends less than a piece of a file in this time has gone. */
const UPLOAD_LEASE = `interval '10 minutes'`;

const DELETE_PIECES = 'DELETE FROM job_pieces USING ended WHERE account_id = $1 AND job_id = ended.id';

/** A job that this instance may work on. */
export interface LeasedJob {
  accountId: number;
  id: string;
  kind: JobKind;
  leaseId: string;
  checkpoint: unknown;
  attempts: number;
}

type Named = { id: string };

const APPEND = new PreparedStatement<Named>(
  'append-job-piece',
  `WITH job AS (
    UPDATE jobs
    SET leased_until = now() + ${UPLOAD_LEASE}
    WHERE account_id = $1 AND id = $2 AND status = 'uploading'
    RETURNING id
  )
  INSERT INTO job_pieces (account_id, job_id, number, data)
  SELECT $1, id, $3, $4
  FROM job
  RETURNING job_id AS id`,
);

const READ_PIECE = new PreparedStatement<{ data: Buffer }>(
  'read-job-piece',
  'SELECT data FROM job_pieces WHERE account_id = $1 AND job_id = $2 AND number = $3',
);

const CLAIM = new PreparedStatement<LeasedJob>(
  'claim-job',
  `UPDATE jobs
  SET status = 'running',
    lease_id = gen_random_uuid(),
    leased_until = now() + ${LEASE},
    attempts = attempts + 1,
    started_at = coalesce(started_at, clock_timestamp())
  FROM (
    SELECT account_id, id
    FROM jobs
    WHERE status IN ('queued', 'running') AND (leased_until IS NULL OR leased_until < now())
    ORDER BY id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
  ) AS next
  WHERE jobs.account_id = next.account_id AND jobs.id = next.id
  RETURNING jobs.account_id AS "accountId", jobs.id, kind, lease_id AS "leaseId", checkpoint, attempts`,
);

const IS_LEASED = 'account_id = $1 AND id = $2 AND lease_id = $3';

const RENEW = new PreparedStatement<Named>(
  'renew-job-lease',
  `UPDATE jobs SET leased_until = now() + ${LEASE} WHERE ${IS_LEASED} RETURNING id`,
);

const LOCK = new PreparedStatement<Named>('lock-job', `SELECT id FROM jobs WHERE ${IS_LEASED} FOR UPDATE`);

const RELEASE = new PreparedStatement<Named>(
  'release-job',
  `UPDATE jobs SET leased_until = NULL, lease_id = NULL WHERE ${IS_LEASED} RETURNING id`,
);

const ADVANCE = new PreparedStatement<Named>(
  'advance-job',
  `UPDATE jobs
  SET checkpoint = $4, leased_until = now() + ${LEASE}, attempts = 0
  WHERE ${IS_LEASED}
  RETURNING id`,
);

const END = new PreparedStatement<Named>(
  'end-job',
  `WITH ended AS (
    UPDATE jobs
    SET status = $4,
      error = $5,
      completed_at = coalesce(completed_at, clock_timestamp()),
      leased_until = NULL,
      lease_id = NULL
    WHERE ${IS_LEASED}
    RETURNING id
  )
  ${DELETE_PIECES}`,
);

const CANCEL = new PreparedStatement<Named>(
  'cancel-job',
  `WITH ended AS (
    UPDATE jobs
    SET status = 'cancelled', completed_at = clock_timestamp(), leased_until = NULL, lease_id = NULL
    WHERE account_id = $1 AND id = $2 AND kind = $3 AND status IN ('queued', 'running')
    RETURNING id
  ),
  emptied AS (${DELETE_PIECES})
  SELECT id FROM ended`,
);

const REQUEUE = new PreparedStatement<Named>(
  'requeue-job',
  `UPDATE jobs
  SET kind = $3, status = 'queued', error = NULL, attempts = 0
  WHERE account_id = $1 AND id = $2 AND status IN ('completed', 'failed', 'cancelled')
  RETURNING id`,
);

const DELETE_ABANDONED = new PreparedStatement<Named>(
  'delete-abandoned-uploads',
  `DELETE FROM jobs WHERE status = 'uploading' AND leased_until < now() RETURNING id`,
);

@Injectable()
export class JobsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Makes a job whose file is about to arrive. If its sender disappears, it is deleted with everything that refers to it. */
  async open(
    accountId: number,
    id: string,
    kind: JobKind,
    checkpoint: unknown,
    transaction: EntityManager,
  ): Promise<void> {
    await transaction.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint, leased_until)
      VALUES ($1, $2, $3, 'uploading', $4, now() + ${UPLOAD_LEASE})`,
      [accountId, id, kind, JSON.stringify(checkpoint)],
    );
  }

  /** @returns false if the job is not uploading any more */
  async appendPiece(accountId: number, id: string, number: number, data: Buffer): Promise<boolean> {
    return isDone(await APPEND.run(this.dataSource, [accountId, id, number, data]));
  }

  async readPiece(accountId: number, id: string, number: number): Promise<Buffer | null> {
    const [piece] = await READ_PIECE.run(this.dataSource, [accountId, id, number]);
    return piece?.data ?? null;
  }

  /** Queues a job whose file has arrived. */
  async enqueue(accountId: number, id: string, transaction: EntityManager): Promise<boolean> {
    const [rows] = (await transaction.query(
      `UPDATE jobs SET status = 'queued', leased_until = NULL
      WHERE account_id = $1 AND id = $2 AND status = 'uploading'
      RETURNING id`,
      [accountId, id],
    )) as [Named[], number];
    return isDone(rows);
  }

  async delete(accountId: number, id: string): Promise<void> {
    await this.dataSource.query('DELETE FROM jobs WHERE account_id = $1 AND id = $2', [accountId, id]);
  }

  async deleteAbandonedUploads(): Promise<void> {
    await DELETE_ABANDONED.run(this.dataSource, []);
  }

  /** Takes the oldest job that nobody works on. */
  async claim(): Promise<LeasedJob | null> {
    const [job = null] = await CLAIM.run(this.dataSource, []);
    return job;
  }

  async renew({ accountId, id, leaseId }: LeasedJob): Promise<void> {
    await RENEW.run(this.dataSource, [accountId, id, leaseId]);
  }

  /** Lets any instance go on with the job. */
  async release({ accountId, id, leaseId }: LeasedJob): Promise<void> {
    await RELEASE.run(this.dataSource, [accountId, id, leaseId]);
  }

  /**
   * Keeps everybody else from the job until a transaction ends.
   *
   * @returns false if the lease is lost
   */
  async lock({ accountId, id, leaseId }: LeasedJob, transaction: EntityManager): Promise<boolean> {
    return isDone(await LOCK.run(transaction, [accountId, id, leaseId]));
  }

  async advance(
    { accountId, id, leaseId }: LeasedJob,
    checkpoint: unknown,
    transaction: EntityManager,
  ): Promise<void> {
    await ADVANCE.run(transaction, [accountId, id, leaseId, JSON.stringify(checkpoint)]);
  }

  async end({ accountId, id, leaseId }: LeasedJob, status: JobStatus, error: JobError | null): Promise<void> {
    await END.run(this.dataSource, [accountId, id, leaseId, status, error && JSON.stringify(error)]);
  }

  /** @returns false if the job has ended or is of another kind */
  async cancel(accountId: number, id: string, kind: JobKind): Promise<boolean> {
    return isDone(await CANCEL.run(this.dataSource, [accountId, id, kind]));
  }

  /** @returns false if the job has not ended */
  async requeue(accountId: number, id: string, kind: JobKind): Promise<boolean> {
    return isDone(await REQUEUE.run(this.dataSource, [accountId, id, kind]));
  }
}

function isDone(rows: unknown[]): boolean {
  return rows.length > 0;
}
