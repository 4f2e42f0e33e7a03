import type { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { readFeedBacklogs } from '../../feed/feed-backlogs.js';
import { IS_DUE } from './due-deliveries.js';
import { IS_BEHIND, IS_FREE } from './webhook-leases.repository.js';

/** Longer than instances take to claim a webhook, which is a second, except after its endpoint was unreachable. */
const UNSERVED_SECONDS = 30;

/** The lag of an enabled webhook behind the changes of its account. */
export interface WebhookLag {
  /** Whether its last attempt failed. */
  isFailing: boolean;
  /** Whether it has had something to send for half a minute, and no instance holds it. */
  isUnserved: boolean;
  /** The number of changes after those that were delivered or are waiting for a retry. */
  backlog: number;
  /** The time of the oldest change that the endpoint has not received. Null if it has received all. */
  since: Date | null;
}

const FIND = new PreparedStatement<{
  accountId: number;
  position: string;
  isFailing: boolean;
  isFree: boolean;
  retriedSince: Date | null;
  dueSince: Date | null;
  now: Date;
}>(
  'find-webhooks-to-measure',
  `SELECT
    account_id AS "accountId",
    position,
    failing_since IS NOT NULL AS "isFailing",
    ${IS_FREE} AS "isFree",
    pending."retriedSince",
    pending."dueSince",
    now() AS now
  FROM webhooks
  CROSS JOIN LATERAL (
    SELECT
      min(created_at) FILTER (WHERE delivery.position IS NOT NULL) AS "retriedSince",
      min(next_attempt_at) FILTER (WHERE ${IS_DUE}) AS "dueSince"
    FROM webhook_deliveries AS delivery
    WHERE delivery.account_id = webhooks.account_id
      AND delivery.webhook_id = webhooks.id
      AND delivery.status = 'pending'
  ) AS pending
  WHERE status = 'enabled' AND (
      failing_since IS NOT NULL
      OR coalesce(pending."retriedSince", pending."dueSince") IS NOT NULL
      OR ${IS_BEHIND}
    )`,
);

/** The lags of the webhooks that are failing or behind. */
export async function readWebhookLags(dataSource: DataSource): Promise<WebhookLag[]> {
  const webhooks = await FIND.run(dataSource, []);
  const backlogs = await readFeedBacklogs(dataSource, webhooks);
  return webhooks.map(({ isFailing, isFree, retriedSince, dueSince, now }, index) => {
    const { changes, since } = backlogs[index]!;
    const waitsSince = [dueSince, retriedSince ? null : since];
    const isUnserved = isFree && waitsSince.some((time) => time !== null && isLongBefore(time, now));
    return { isFailing, isUnserved, backlog: changes, since: retriedSince ?? since };
  });
}

function isLongBefore(time: Date, now: Date): boolean {
  return now.getTime() - time.getTime() > UNSERVED_SECONDS * 1_000;
}
