import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import type { AccountContext } from '../audit/request-context.js';
import type { WriteContext } from '../database/commit.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { JobKey } from './job-handler.js';
import { IS_ABANDONED, UPLOAD_LEASE } from './job-files.js';
import { Job, type JobKind } from './job.entity.js';

/** Ended imports with their errors, and the counts of scrubs, are deleted after this time. */
export const RETENTION_DAYS = 90;

const ABANDON = new PreparedStatement<{ id: string }>(
  'abandon-upload',
  `UPDATE jobs
  SET leased_until = '-infinity'
  WHERE account_id = $1 AND id = $2 AND status = 'uploading'
  RETURNING id`,
);

const CANCEL = new PreparedStatement<{ id: string }>(
  'cancel-job',
  `UPDATE jobs
  SET status = 'cancelled', completed_at = clock_timestamp(), leased_until = NULL, lease_id = NULL
  WHERE account_id = $1 AND id = $2 AND kind = $3 AND status IN ('queued', 'running')
  RETURNING id`,
);

const REQUEUE = new PreparedStatement<{ id: string }>(
  'requeue-job',
  `UPDATE jobs
  SET kind = $3,
    status = 'queued',
    checkpoint = $4::jsonb || checkpoint,
    error = NULL,
    attempts = 0,
    failures = 0,
    losses = 0,
    leased_until = now(),
    completed_at = NULL
  WHERE account_id = $1 AND id = $2 AND status IN ('completed', 'failed', 'cancelled')
  RETURNING id`,
);

const deleteOne = (name: string, condition: string) =>
  new PreparedStatement<{ id: string }>(
    name,
    `DELETE FROM jobs
    USING (
      SELECT account_id, id FROM jobs WHERE ${condition} LIMIT 1 FOR UPDATE SKIP LOCKED
    ) AS chosen
    WHERE jobs.account_id = chosen.account_id AND jobs.id = chosen.id
    RETURNING jobs.id`,
  );

const HAS_NO_FILE = `NOT EXISTS (
  SELECT FROM job_pieces WHERE job_pieces.account_id = jobs.account_id AND job_pieces.job_id = jobs.id
)`;

const DELETE_ABANDONED = deleteOne('delete-abandoned-uploads', `${IS_ABANDONED} AND ${HAS_NO_FILE}`);

const DELETE_EXPIRED = deleteOne(
  'delete-expired-jobs',
  `completed_at < now() - interval '${RETENTION_DAYS} days' AND ${HAS_NO_FILE}`,
);

interface QueuedJob extends JobKey {
  kind: JobKind;
  checkpoint: object;
}

@Injectable()
export class JobsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Counts the jobs of a kind that have not ended. No other transaction can count until this one ends, so that a limit holds.
   */
  async countPending(accountId: number, kind: JobKind, transaction: EntityManager): Promise<number> {
    await transaction.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
    const [{ count }] = (await transaction.query(
      `SELECT count(*)::integer AS count
      FROM jobs
      WHERE account_id = $1
        AND kind = $2
        AND (status IN ('queued', 'running') OR status = 'uploading' AND leased_until >= now())`,
      [accountId, kind],
    )) as [{ count: number }];
    return count;
  }

  /**
   * Creates a job whose file is about to arrive. If the sender disappears, the job is deleted with everything
   * that refers to it.
   */
  async open({ accountId, id, kind, checkpoint }: QueuedJob, transaction: EntityManager): Promise<void> {
    await transaction.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint, leased_until)
      VALUES ($1, $2, $3, 'uploading', $4, now() + ${UPLOAD_LEASE})`,
      [accountId, id, kind, JSON.stringify(checkpoint)],
    );
  }

  async enqueue(accountId: number, id: string, transaction: EntityManager): Promise<boolean> {
    const [rows] = (await transaction.query(
      `UPDATE jobs SET status = 'queued', leased_until = now()
      WHERE account_id = $1 AND id = $2 AND status = 'uploading' AND leased_until >= now()
      RETURNING id`,
      [accountId, id],
    )) as [{ id: string }[], number];
    return isDone(rows);
  }

  /**
   * Marks an upload for deletion.
   *
   * @returns false if the job is not uploading any more
   */
  async abandonUpload(accountId: number, id: string): Promise<boolean> {
    return isDone(await ABANDON.run(this.dataSource, [accountId, id]));
  }

  /**
   * Deletes an upload whose sender has gone, once its pieces are deleted.
   *
   * @returns false if there was none
   */
  async deleteAbandonedUploads(): Promise<boolean> {
    return isDone(await DELETE_ABANDONED.run(this.dataSource, []));
  }

  /**
   * Deletes a job that ended {@link RETENTION_DAYS} ago, with everything that refers to it.
   *
   * @returns false if there was none
   */
  async deleteExpired(): Promise<boolean> {
    return isDone(await DELETE_EXPIRED.run(this.dataSource, []));
  }

  /** @returns false if the job has ended or was deleted */
  isPending(accountId: number, id: string, transaction: EntityManager): Promise<boolean> {
    return transaction.existsBy(Job, { accountId, id, status: In(['queued', 'running']) });
  }

  /** @returns false if the job has ended or is of another kind */
  async cancel({ accountId, deadline }: AccountContext, id: string, kind: JobKind): Promise<boolean> {
    return isDone(await CANCEL.write(this.dataSource, { deadline }, [accountId, id, kind]));
  }

  /**
   * Queues a job again.
   *
   * @param job - its kind may be another one than before; the fields of its checkpoint are added if they are absent
   * @returns false if the job has not ended
   */
  async requeue({ accountId, id, kind, checkpoint }: QueuedJob, context: WriteContext): Promise<boolean> {
    const values = [accountId, id, kind, JSON.stringify(checkpoint)];
    return isDone(await REQUEUE.write(this.dataSource, context, values));
  }
}

function isDone(rows: unknown[]): boolean {
  return rows.length > 0;
}
