import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RETENTION_DAYS } from '../jobs/retention.js';
import type { BackgroundTask } from '../process/background-task.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { lowestIdAt } from '../validation/id.js';

const HOUR_MS = 60 * 60 * 1000;
const RETENTION_MS = RETENTION_DAYS * 24 * HOUR_MS;
const MAX_SWEPT = 1_000;

/** Finds the oldest scrubs of each account by the primary key. */
const SWEEP = new PreparedStatement<{ id: string }>(
  'sweep-scrubs',
  `DELETE FROM scrubs
  USING (
    SELECT old.account_id, old.id
    FROM accounts
    CROSS JOIN LATERAL (
      SELECT account_id, id
      FROM scrubs
      WHERE account_id = accounts.id AND id < $1
      ORDER BY id
      LIMIT ${MAX_SWEPT}
      FOR UPDATE SKIP LOCKED
    ) AS old
    LIMIT ${MAX_SWEPT}
  ) AS expired
  WHERE scrubs.account_id = expired.account_id AND scrubs.id = expired.id
  RETURNING scrubs.id`,
);

/** Deletes the counts of scrubs {@link RETENTION_DAYS} after their start. */
@Injectable()
export class ScrubSweep {
  private readonly task: BackgroundTask;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: ScrubSweep.name,
      intervalMs: HOUR_MS,
      failure: 'the counts of old scrubs were not deleted',
      run: (stopping) => this.sweep(stopping),
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    const end = lowestIdAt(Date.now() - RETENTION_MS);
    let deleted = MAX_SWEPT;
    while (!stopping.aborted && deleted === MAX_SWEPT) {
      deleted = (await SWEEP.run(this.dataSource, [end])).length;
    }
  }
}
