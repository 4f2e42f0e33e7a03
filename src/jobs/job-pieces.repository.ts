import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';

/** A client that sends less than a piece of a file in this time has gone. */
export const UPLOAD_LEASE = `interval '10 minutes'`;

/** The upload cannot continue. A request that began before the lease ended may still be running, but ends within a minute. */
export const IS_ABANDONED = `status = 'uploading' AND leased_until < now() - interval '1 minute'`;

/**
 * The pieces of all files of an account, each with up to 1 MiB of text. Uploads that arrive together may exceed it by one piece
 * each.
 */
const MAX_PIECES = 4 * 1024;

/** How long the file of the latest check of an account can still be imported. */
const KEPT_FOR = `interval '1 hour'`;

/** SQL condition: the job has ended, but its file is kept. */
export const IS_KEPT = `status = 'completed' AND leased_until > now()`;

/** Deleting them takes a fraction of the statement timeout, whereas a file of 1 GiB would take longer. */
const DELETED_PIECES = 50;

const IS_OF_ENDED = 'account_id = (SELECT account_id FROM ended) AND job_id = (SELECT id FROM ended)';

/** `late` if the job is not uploading any more, `full` if the account has {@link MAX_PIECES}. */
export type AppendOutcome = 'stored' | 'late' | 'full';

const APPEND = new PreparedStatement<{ outcome: AppendOutcome }>(
  'append-job-piece',
  `WITH job AS (
    UPDATE jobs
    SET leased_until = now() + ${UPLOAD_LEASE}
    WHERE account_id = $1 AND id = $2 AND status = 'uploading' AND leased_until >= now()
    RETURNING id
  ),
  stored AS (
    INSERT INTO job_pieces (account_id, job_id, number, data)
    SELECT $1, id, $3, $4
    FROM job
    WHERE (SELECT count(*) FROM job_pieces WHERE account_id = $1) < ${MAX_PIECES}
    RETURNING job_id
  )
  SELECT CASE
    WHEN EXISTS (SELECT FROM stored) THEN 'stored'
    WHEN EXISTS (SELECT FROM job) THEN 'full'
    ELSE 'late'
  END AS outcome`,
);

const READ_PIECE = new PreparedStatement<{ data: Buffer }>(
  'read-job-piece',
  'SELECT data FROM job_pieces WHERE account_id = $1 AND job_id = $2 AND number = $3',
);

/**
 * The first piece of a file goes last, so that it shows whether there are others. The subqueries keep the plan on the primary
 * key, also if it was made while there were no files.
 */
const DELETE_PIECES = new PreparedStatement<{ id: string }>(
  'delete-pieces-of-ended-job',
  `WITH ended AS MATERIALIZED (
    SELECT jobs.account_id, jobs.id
    FROM jobs
    JOIN job_pieces AS first ON first.account_id = jobs.account_id AND first.job_id = jobs.id AND first.number = 0
    WHERE jobs.status NOT IN ('uploading', 'queued', 'running') AND NOT coalesce(${IS_KEPT}, false) OR ${IS_ABANDONED}
    LIMIT 1
    FOR UPDATE OF jobs SKIP LOCKED
  )
  DELETE FROM job_pieces
  WHERE ${IS_OF_ENDED}
    AND number = ANY (
      ARRAY(SELECT number FROM job_pieces WHERE ${IS_OF_ENDED} ORDER BY number DESC LIMIT ${DELETED_PIECES})
    )
  RETURNING job_id AS id`,
);

/** Counts the pieces, because instances of earlier versions may delete some of them. */
const KEEP = new PreparedStatement<{ id: string }>(
  'keep-file-of-ended-job',
  `UPDATE jobs
  SET leased_until = CASE WHEN id = $2 THEN now() + ${KEPT_FOR} END,
    checkpoint = CASE
      WHEN id = $2 THEN checkpoint || jsonb_build_object(
        'pieces', (SELECT count(*) FROM job_pieces WHERE account_id = $1 AND job_id = $2)
      )
      ELSE checkpoint
    END
  WHERE account_id = $1 AND (id = $2 OR ${IS_KEPT})
  RETURNING id`,
);

const TAKE = new PreparedStatement<{ pieces: number }>(
  'take-kept-file',
  `UPDATE jobs
  SET leased_until = NULL
  WHERE account_id = $1 AND id = $2 AND ${IS_KEPT}
  RETURNING (checkpoint ->> 'pieces')::integer AS pieces`,
);

const MOVE = new PreparedStatement<{ id: string }>(
  'move-job-pieces',
  `UPDATE job_pieces SET job_id = $3 WHERE account_id = $1 AND job_id = $2 RETURNING job_id AS id`,
);

@Injectable()
export class JobPiecesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async append(accountId: number, id: string, number: number, data: Buffer): Promise<AppendOutcome> {
    const [appended] = await APPEND.run(this.dataSource, [accountId, id, number, data]);
    return appended!.outcome;
  }

  async read(accountId: number, id: string, number: number): Promise<Buffer | null> {
    const [piece] = await READ_PIECE.run(this.dataSource, [accountId, id, number]);
    return piece?.data ?? null;
  }

  /** Keeps the file of a job that has just ended, in place of any other that the account has kept. */
  async keep(accountId: number, id: string, transaction: EntityManager): Promise<void> {
    await KEEP.run(transaction, [accountId, id]);
  }

  /**
   * Moves a kept file to another job. If it returns false, the transaction must be rolled back.
   *
   * @returns whether the file was complete
   */
  async move(accountId: number, from: string, to: string, transaction: EntityManager): Promise<boolean> {
    const [kept] = await TAKE.run(transaction, [accountId, from]);
    return kept !== undefined && (await MOVE.run(transaction, [accountId, from, to])).length === kept.pieces;
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
