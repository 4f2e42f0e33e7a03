import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { JobKind } from './job.entity.js';
import { RETENTION_DAYS } from './retention.js';

/** A client that sends less than a piece of a file in this time has gone. */
const UPLOAD_LEASE = `interval '10 minutes'`;

/** Deleting them takes a fraction of the statement timeout, whereas a file of 1 GiB would take longer. */
const PIECES_AT_ONCE = 50;

type Named = { id: string };

const APPEND = new PreparedStatement<Named>(
  'append-job-piece',
  `WITH job AS (
    UPDATE jobs
    SET leased_until = now() + ${UPLOAD_LEASE}
    WHERE account_id = $1 AND id = $2 AND status = 'uploading' AND leased_until >= now()
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

const ABANDON = new PreparedStatement<Named>(
  'abandon-upload',
  `UPDATE jobs
  SET leased_until = '-infinity'
  WHERE account_id = $1 AND id = $2 AND status = 'uploading'
  RETURNING id`,
);

const CANCEL = new PreparedStatement<Named>(
  'cancel-job',
  `UPDATE jobs
  SET status = 'cancelled', completed_at = clock_timestamp(), leased_until = NULL, lease_id = NULL
  WHERE account_id = $1 AND id = $2 AND kind = $3 AND status IN ('queued', 'running')
  RETURNING id`,
);

const REQUEUE = new PreparedStatement<Named>(
  'requeue-job',
  `UPDATE jobs
  SET kind = $3,
    status = 'queued',
    checkpoint = $4::jsonb || checkpoint,
    error = NULL,
    attempts = 0,
    leased_until = NULL,
    completed_at = NULL
  WHERE account_id = $1 AND id = $2 AND status IN ('completed', 'failed', 'cancelled')
  RETURNING id`,
);

const IS_ABANDONED = `status = 'uploading' AND leased_until < now()`;

/** The first piece of a file goes last, so that it shows whether there are others. */
const DELETE_PIECES = new PreparedStatement<Named>(
  'delete-pieces-of-ended-job',
  `WITH ended AS (
    SELECT jobs.account_id, jobs.id
    FROM jobs
    JOIN job_pieces AS first ON first.account_id = jobs.account_id AND first.job_id = jobs.id AND first.number = 0
    WHERE jobs.status NOT IN ('uploading', 'queued', 'running') OR ${IS_ABANDONED}
    LIMIT 1
    FOR UPDATE OF jobs SKIP LOCKED
  ),
  chosen AS (
    SELECT piece.account_id, piece.job_id, piece.number
    FROM ended
    JOIN job_pieces AS piece ON piece.account_id = ended.account_id AND piece.job_id = ended.id
    ORDER BY piece.number DESC
    LIMIT ${PIECES_AT_ONCE}
  )
  DELETE FROM job_pieces AS piece
  USING chosen
  WHERE piece.account_id = chosen.account_id AND piece.job_id = chosen.job_id AND piece.number = chosen.number
  RETURNING piece.job_id AS id`,
);

const deleteOne = (name: string, condition: string) =>
  new PreparedStatement<Named>(
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
      WHERE account_id = $1 AND id = $2 AND status = 'uploading' AND leased_until >= now()
      RETURNING id`,
      [accountId, id],
    )) as [Named[], number];
    return isDone(rows);
  }

  /**
   * Leaves an upload to be deleted.
   *
   * @returns false if the job is not uploading any more
   */
  async abandonUpload(accountId: number, id: string): Promise<boolean> {
    return isDone(await ABANDON.run(this.dataSource, [accountId, id]));
  }

  /**
   * Deletes a part of a file that nobody reads any more: its job has ended, or its sender has gone.
   *
   * @returns false if there was none
   */
  async deletePieces(): Promise<boolean> {
    return isDone(await DELETE_PIECES.run(this.dataSource, []));
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

  /** @returns false if the job has ended or is of another kind */
  async cancel(accountId: number, id: string, kind: JobKind, deadline: number): Promise<boolean> {
    return isDone(await CANCEL.write(this.dataSource, { deadline }, [accountId, id, kind]));
  }

  /**
   * Queues a job again, as another kind.
   *
   * @param checkpoint - added to the checkpoint, where that does not have the same fields
   * @returns false if the job has not ended
   */
  async requeue(
    accountId: number,
    id: string,
    kind: JobKind,
    checkpoint: object,
    deadline: number,
  ): Promise<boolean> {
    const values = [accountId, id, kind, JSON.stringify(checkpoint)];
    return isDone(await REQUEUE.write(this.dataSource, { deadline }, values));
  }
}

function isDone(rows: unknown[]): boolean {
  return rows.length > 0;
}
