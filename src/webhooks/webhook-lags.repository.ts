import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { FeedBacklogsRepository } from '../feed/feed-backlogs.repository.js';
import { HeldWebhooksRepository } from './held-webhooks.repository.js';

/** How far a webhook is behind the changes of its account. */
export interface WebhookLag {
  /** Changes after those that were delivered or wait for a retry. */
  backlog: number;
  /** When the oldest change happened that the endpoint has not received. Null if it has received all. */
  since: Date | null;
}

const FIND = new PreparedStatement<{ accountId: number; position: string; retriedSince: Date | null }>(
  'find-webhooks-to-measure',
  `SELECT
    account_id AS "accountId",
    position,
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
    private readonly held: HeldWebhooksRepository,
  ) {}

  /** The lags of the webhooks that this instance holds, and of those that no instance holds. */
  async read(): Promise<WebhookLag[]> {
    const webhooks = await FIND.run(this.dataSource, [this.held.leaseId]);
    const backlogs = await this.backlogs.read(webhooks);
    return webhooks.map(({ retriedSince }, index) => {
      const { changes, since } = backlogs[index]!;
      return { backlog: changes, since: retriedSince ?? since };
    });
  }
}
