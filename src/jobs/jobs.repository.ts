import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import type { AccountContext } from '../audit/request-context.js';
import type { WriteContext } from '../database/transaction.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { JobKey } from './job-handler.js';
import { UPLOAD_LEASE } from './job-files.js';
import { Job, type JobKind, type JobStatus } from './job.entity.js';

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

interface QueuedJob extends JobKey {
  kind: JobKind;
  checkpoint: object;
}

@Injectable()
export class JobsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Counts the jobs of a kind that have not ended. No other transaction can count them until this one ends, so that a limit is
   * exact.
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
   * Creates a job whose file is about to arrive. If the sender disappears, the job is deleted, with everything that references
   * it.
   */
  open(job: QueuedJob, transaction: EntityManager): Promise<void> {
    return insert(job, 'uploading', `now() + ${UPLOAD_LEASE}`, transaction);
  }

  /** Creates a job without a file. */
  queue(job: QueuedJob, transaction: EntityManager): Promise<void> {
    return insert(job, 'queued', 'now()', transaction);
  }

  /** @returns false if the job is no longer uploading */
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
   * @returns false if the job is no longer uploading
   */
  async abandonUpload(accountId: number, id: string): Promise<boolean> {
    return isDone(await ABANDON.run(this.dataSource, [accountId, id]));
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
   * @param job - its kind may differ from the previous one; the fields of its checkpoint are added if they are absent
   * @returns false if the job has not ended
   */
  async requeue({ accountId, id, kind, checkpoint }: QueuedJob, context: WriteContext): Promise<boolean> {
    const values = [accountId, id, kind, JSON.stringify(checkpoint)];
    return isDone(await REQUEUE.write(this.dataSource, context, values));
  }
}

async function insert(
  { accountId, id, kind, checkpoint }: QueuedJob,
  status: JobStatus,
  leasedUntil: string,
  transaction: EntityManager,
): Promise<void> {
  await transaction.query(
    `INSERT INTO jobs (account_id, id, kind, status, checkpoint, leased_until)
    VALUES ($1, $2, $3, $4, $5, ${leasedUntil})`,
    [accountId, id, kind, status, JSON.stringify(checkpoint)],
  );
}

function isDone(rows: unknown[]): boolean {
  return rows.length > 0;
}
