import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountRounds } from '../../accounts/account-rounds.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { BackgroundTasks, latestDeletion, repeat, Sweep } from '../../process/background-tasks.js';
import { INBOX_RETENTION_DAYS } from '../sources/sources.service.js';

/** Deleting this many events takes a fraction of the statement timeout. */
const BATCH_SIZE = 1_000;

/** SQL for the lowest UUIDv7 of the oldest time from which an account keeps events. */
const FIRST_KEPT_ID = `(
  lpad(to_hex((extract(epoch FROM least(now(), $4::timestamptz)) * 1000)::bigint - 86400000 * coalesce(inbox_retention, $1::integer)::bigint), 12, '0')
  || '00000000000000000000'
)::uuid`;

/**
 * Reports and lifts are kept, since they decide about later lifts, and so are soft failures that suppressed, since they explain
 * a record. Rows that are locked are left for the next time.
 */
const DELETE_EXPIRED = new PreparedStatement<{ deleted: number }>(
  'delete-expired-events',
  `WITH expired AS MATERIALIZED (
    SELECT oldest.account_id, oldest.row_id
    FROM accounts
    CROSS JOIN LATERAL (
      SELECT account_id, ctid AS row_id
      FROM delivery_events
      WHERE account_id = accounts.id
        AND effect IN ('watch', 'success', 'none')
        AND outcome IN ('counted', 'nothing')
        AND delivery_events.id < ${FIRST_KEPT_ID}
      ORDER BY delivery_events.id
      LIMIT ${BATCH_SIZE}
      FOR UPDATE SKIP LOCKED
    ) AS oldest
    WHERE accounts.id > $2 AND accounts.id <= $3
    LIMIT ${BATCH_SIZE}
  ),
  deleted AS (
    DELETE FROM delivery_events
    USING expired
    WHERE delivery_events.account_id = expired.account_id AND delivery_events.ctid = expired.row_id
    RETURNING 1
  )
  SELECT count(*)::integer AS deleted FROM deleted`,
);

/**
 * Deletes events that ask for no change and are older than the retention of their account, even if the account gets no new
 * events.
 */
@Injectable()
export class RetentionSweep extends Sweep {
  private readonly rounds: AccountRounds;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(INBOX_RETENTION_DAYS) private readonly retentionDays: number,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 60_000, failure: 'expired events were not deleted' });
    this.rounds = new AccountRounds(dataSource);
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const { after, last } = await this.rounds.next();
    const parameters = [this.retentionDays, after, last, latestDeletion()];
    const deleteSome = () => DELETE_EXPIRED.run(this.dataSource, parameters);
    await repeat(async () => (await deleteSome()).some(({ deleted }) => deleted === BATCH_SIZE), stopping);
  }
}
