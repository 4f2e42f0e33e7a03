import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { BackgroundTasks, repeat, type BackgroundTask } from '../process/background-tasks.js';
import { IS_KEPT } from './job-files.js';

const INTERVAL_MS = 60_000;

/** Ended imports with their errors, and the counts of scrubs, are deleted after this time. */
export const RETENTION_DAYS = 90;

/** The upload cannot continue. A request that began before the lease ended may still be running, but ends within a minute. */
const IS_ABANDONED = `status = 'uploading' AND leased_until < now() - interval '1 minute'`;

/** Deleting this many pieces takes a fraction of the statement timeout, whereas a file of 1 GiB would take longer. */
const DELETED_PIECES = 50;

const IS_OF_ENDED = 'account_id = (SELECT account_id FROM ended) AND job_id = (SELECT id FROM ended)';

/**
 * Deletes the first piece of a file last, because it shows whether there are others. The subqueries keep the plan on the
 * primary key, even if it was made while there were no files.
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

/**
 * Deletes files that are no longer read, because their job has ended or their sender is gone; uploads that never completed; and
 * jobs whose retention is over, with everything that references them. If one of these deletions fails, the others continue.
 */
@Injectable()
export class JobSweep {
  private readonly tasks: BackgroundTask[];

  constructor(dataSource: DataSource, tasks: BackgroundTasks) {
    const sweep = (what: string, deleteSome: PreparedStatement<{ id: string }>) =>
      tasks.add({
        name: JobSweep.name,
        intervalMs: INTERVAL_MS,
        failure: `${what} were not deleted`,
        run: (stopping) => repeat(async () => (await deleteSome.run(dataSource, [])).length > 0, stopping),
      });
    this.tasks = [
      sweep('the files of ended jobs', DELETE_PIECES),
      sweep('abandoned uploads', DELETE_ABANDONED),
      sweep('old jobs', DELETE_EXPIRED),
    ];
  }

  async run(): Promise<void> {
    for (const task of this.tasks) {
      await task.run();
    }
  }
}
