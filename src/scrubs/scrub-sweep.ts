import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountRounds } from '../accounts/account-rounds.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { RETENTION_DAYS } from '../jobs/job-sweep.js';
import { BackgroundTasks, repeat, Sweep } from '../process/background-tasks.js';
import { lowestIdAt } from '../validation/parsers.js';

const RETENTION_MS = RETENTION_DAYS * 24 * 60 * 60 * 1000;
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
    WHERE accounts.id > $2 AND accounts.id <= $3
    LIMIT ${MAX_SWEPT}
  ) AS expired
  WHERE scrubs.account_id = expired.account_id AND scrubs.id = expired.id
  RETURNING scrubs.id`,
);

/** Deletes the counts of scrubs {@link RETENTION_DAYS} after their start. */
@Injectable()
export class ScrubSweep extends Sweep {
  private readonly rounds: AccountRounds;

  constructor(
    private readonly dataSource: DataSource,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 60_000, failure: 'the counts of old scrubs were not deleted' });
    this.rounds = new AccountRounds(dataSource);
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const end = lowestIdAt(Date.now() - RETENTION_MS);
    const { after, last } = await this.rounds.next();
    const deleteSome = () => SWEEP.run(this.dataSource, [end, after, last]);
    await repeat(async () => (await deleteSome()).length >= MAX_SWEPT, stopping);
  }
}
