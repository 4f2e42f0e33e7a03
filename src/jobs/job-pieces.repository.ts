import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';

/** A client that sends less than a piece of a file in this time has gone. */
export const UPLOAD_LEASE = `interval '10 minutes'`;

/** The upload cannot continue. A request that began before the lease ended may still be running, but ends within a minute. */
export const IS_ABANDONED = `status = 'uploading' AND leased_until < now() - interval '1 minute'`;

/** Deleting them takes a fraction of the statement timeout, whereas a file of 1 GiB would take longer. */
const DELETED_PIECES = 50;

type IdRow = { id: string };

const APPEND = new PreparedStatement<IdRow>(
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

/** The first piece of a file goes last, so that it shows whether there are others. */
const DELETE_PIECES = new PreparedStatement<IdRow>(
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
    LIMIT ${DELETED_PIECES}
  )
  DELETE FROM job_pieces AS piece
  USING chosen
  WHERE piece.account_id = chosen.account_id AND piece.job_id = chosen.job_id AND piece.number = chosen.number
  RETURNING piece.job_id AS id`,
);

@Injectable()
export class JobPiecesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @returns false if the job is not uploading any more */
  async append(accountId: number, id: string, number: number, data: Buffer): Promise<boolean> {
    return (await APPEND.run(this.dataSource, [accountId, id, number, data])).length > 0;
  }

  async read(accountId: number, id: string, number: number): Promise<Buffer | null> {
    const [piece] = await READ_PIECE.run(this.dataSource, [accountId, id, number]);
    return piece?.data ?? null;
  }

  /**
   * Deletes a part of a file that nobody reads any more: its job has ended, or its sender has gone.
   *
   * @returns false if there was none
   */
  async deleteSome(): Promise<boolean> {
    return (await DELETE_PIECES.run(this.dataSource, [])).length > 0;
  }
}
