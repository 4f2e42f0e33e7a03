import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { FeedBacklogsRepository } from '../../feed/feed-backlogs.repository.js';
import { WebhookLeasesRepository } from './webhook-leases.repository.js';

/** How far a webhook is behind the changes of its account. */
export interface WebhookLag {
  /** Whether this instance delivers to it. Otherwise, no instance does. */
  isHeld: boolean;
  /** Changes after those that were delivered or wait for a retry. */
  backlog: number;
  /** When the oldest change happened that the endpoint has not received. Null if it has received all. */
  since: Date | null;
}

const FIND = new PreparedStatement<{
  accountId: number;
  position: string;
  isHeld: boolean;
  retriedSince: Date | null;
}>(
  'find-webhooks-to-measure',
  `SELECT
    account_id AS "accountId",
    position,
    lease_id IS NOT DISTINCT FROM $1 AS "isHeld",
    (
      SELECT min(created_at)
      FROM webhook_deliveries AS delivery
      WHERE delivery.account_id = webhooks.account_id
        AND delivery.webhook_id = webhooks.id
        AND delivery.status = 'pending'
        AND delivery.position IS NOT NULL
    ) AS "retriedSince"
  FROM webhooks
  WHERE status = 'enabled' AND (lease_id = $1 OR leased_until IS NULL OR leased_until < now())`,
);

@Injectable()
export class WebhookLagsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly backlogs: FeedBacklogsRepository,
    private readonly leases: WebhookLeasesRepository,
  ) {}

  /** The lags of the webhooks that this instance holds, and of those that no instance holds. */
  async read(): Promise<WebhookLag[]> {
    const webhooks = await FIND.run(this.dataSource, [this.leases.leaseId]);
    const backlogs = await this.backlogs.read(webhooks);
    return webhooks.map(({ isHeld, retriedSince }, index) => {
      const { changes, since } = backlogs[index]!;
      return { isHeld, backlog: changes, since: retriedSince ?? since };
    });
  }
}
