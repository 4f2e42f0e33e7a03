import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountContext } from '../../audit/request-context.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { BackgroundTasks, repeat, Sweep } from '../../process/background-tasks.js';

const MAX_SWEPT = 1_000;

const SWEEP = new PreparedStatement<{ id: string }>(
  'sweep-deliveries',
  `DELETE FROM webhook_deliveries
  USING (
    SELECT account_id, webhook_id, id
    FROM webhook_deliveries
    WHERE status <> 'pending' AND recorded_at < now() - interval '30 days'
    ORDER BY recorded_at
    LIMIT ${MAX_SWEPT}
    FOR UPDATE SKIP LOCKED
  ) AS expired
  WHERE webhook_deliveries.account_id = expired.account_id
    AND webhook_deliveries.webhook_id = expired.webhook_id
    AND webhook_deliveries.id = expired.id
  RETURNING webhook_deliveries.id`,
);

/** Deletes deliveries that have ended, 30 days after they were first recorded. */
@Injectable()
export class DeliverySweep extends Sweep {
  constructor(
    private readonly dataSource: DataSource,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 60_000, failure: 'old webhook deliveries were not deleted' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    await repeat(async () => (await SWEEP.run(this.dataSource, [])).length >= MAX_SWEPT, stopping);
  }
}

/** Deletes few enough deliveries at once for the statement timeout. */
const DELETE_SOME = new PreparedStatement<{ id: string }>(
  'delete-some-deliveries',
  `DELETE FROM webhook_deliveries
  WHERE account_id = $1
    AND webhook_id = $2
    AND id = ANY (ARRAY (SELECT id FROM webhook_deliveries WHERE account_id = $1 AND webhook_id = $2 LIMIT 5000))
  RETURNING id`,
);

/**
 * Deletes the deliveries of a webhook in batches.
 *
 * @throws {DeadlineExceededError} some deliveries are deleted; calling it again continues
 */
export async function deleteDeliveries(
  dataSource: DataSource,
  { accountId, deadline }: AccountContext,
  webhookId: string,
): Promise<void> {
  let deleted: { id: string }[];
  do {
    deleted = await DELETE_SOME.write(dataSource, { deadline }, [accountId, webhookId]);
  } while (deleted.length > 0);
}
