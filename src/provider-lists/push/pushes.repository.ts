import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { toPage, type Page } from '../../http/page.js';
import type { ProviderList } from '../provider-list.entity.js';
import type { OpenPushStatus, ProviderListPush } from './provider-list-push.entity.js';

type ListRef = Pick<ProviderList, 'accountId' | 'id'>;

/** The pushes of a list that are not done. */
export interface PushBacklog {
  pending: number;
  failed: number;
  /** When the oldest of them was decided; null if there are none. */
  oldestAt: Date | null;
}

export const NO_BACKLOG: PushBacklog = { pending: 0, failed: 0, oldestAt: null };

export type OpenPush = Pick<
  ProviderListPush,
  'email' | 'list' | 'address' | 'action' | 'cause' | 'attempts' | 'nextAttemptAt' | 'error' | 'createdAt'
> & { status: OpenPushStatus };

/** The key of the last push of a page. */
export type PushCursor = [email: string, list: string, address: string];

const BACKLOG = new PreparedStatement<PushBacklog>(
  'count-provider-list-pushes',
  `SELECT
    (count(*) FILTER (WHERE status = 'pending'))::integer AS pending,
    (count(*) FILTER (WHERE status = 'failed'))::integer AS failed,
    min(created_at) AS "oldestAt"
  FROM provider_list_pushes
  WHERE account_id = $1 AND provider_list_id = $2 AND status <> 'done'`,
);

const PAGE = new PreparedStatement<OpenPush>(
  'page-provider-list-pushes',
  `SELECT
    email, list, address, action, status, cause, attempts, error,
    next_attempt_at AS "nextAttemptAt",
    created_at AS "createdAt"
  FROM provider_list_pushes
  WHERE account_id = $1
    AND provider_list_id = $2
    AND status <> 'done'
    AND ($3::text IS NULL OR status = $3)
    AND (email, list, address) > ($4, $5, $6)
  ORDER BY email, list, address
  LIMIT $7`,
);

const RETRY = new PreparedStatement<{ retried: number }>(
  'retry-provider-list-pushes',
  `WITH retried AS (
    UPDATE provider_list_pushes
    SET status = 'pending', attempts = 0, next_attempt_at = clock_timestamp(), error = NULL
    WHERE account_id = $1 AND provider_list_id = $2 AND (status = 'failed' OR status = 'pending' AND error IS NOT NULL)
    RETURNING email
  ),
  resumed AS (
    UPDATE provider_lists SET push_paused_until = NULL, push_error = NULL WHERE account_id = $1 AND id = $2
  )
  SELECT count(*)::integer AS retried FROM retried`,
);

/** What was not pushed yet, for callers. */
@Injectable()
export class PushesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async backlog({ accountId, id }: ListRef): Promise<PushBacklog> {
    return (await BACKLOG.run(this.dataSource, [accountId, id]))[0]!;
  }

  /** By address. */
  async page(
    { accountId, id }: ListRef,
    status: OpenPushStatus | undefined,
    after: PushCursor | undefined,
    limit: number,
  ): Promise<Page<OpenPush>> {
    const values = [accountId, id, status ?? null, ...(after ?? ['', '', '']), limit + 1];
    return toPage(await PAGE.run(this.dataSource, values), limit);
  }

  /** Sends what failed again, now. */
  async retry({ accountId, id }: ListRef, transaction: EntityManager): Promise<number> {
    return (await RETRY.run(transaction, [accountId, id]))[0]!.retried;
  }
}
