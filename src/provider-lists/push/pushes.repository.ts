import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import type { Page } from '../../http/page.js';
import { readFeedBacklogs, type FeedBacklog } from '../../feed/feed-backlogs.js';
import { KeyedPages, type KeyedQuery } from '../keyed-pages.js';
import { ProviderList } from '../provider-list.entity.js';
import { OPEN_STATUSES, type OpenPushStatus, type ProviderListPush } from './provider-list-push.entity.js';

type ListRef = Pick<ProviderList, 'accountId' | 'id'>;
type ListPosition = Pick<ProviderList, 'accountId' | 'pushPosition'>;

/** The numbers of open pushes of a list, up to {@link MAX_COUNTED} each. */
export interface CountedPushes {
  pending: number;
  failed: number;
  /** When the oldest of them was created; null if there are none. */
  oldestAt: Date | null;
}

/** Also has the number of changes that the list has not examined yet, because it is paused or stopped. */
export interface PushBacklog extends CountedPushes {
  unexamined: number;
}

export type OpenPush = Pick<
  ProviderListPush,
  'email' | 'list' | 'address' | 'action' | 'cause' | 'attempts' | 'nextAttemptAt' | 'error' | 'createdAt'
> & { status: OpenPushStatus };

export interface PushesQuery extends KeyedQuery {
  status?: OpenPushStatus | undefined;
}

const NOTHING: FeedBacklog = { changes: 0, since: null };

/** Pushes are counted up to this number. */
export const MAX_COUNTED = 10_000;
/** A request retries at most this many pushes of each status. */
const MAX_RETRIED = 5_000;

const count = (status: OpenPushStatus) => `(
    SELECT count(*)::integer AS number, min(created_at) AS oldest_at
    FROM (
      SELECT created_at
      FROM provider_list_pushes
      WHERE account_id = list.account_id AND provider_list_id = list.id AND status = '${status}'
      ORDER BY created_at
      LIMIT ${MAX_COUNTED}
    ) AS open
  ) AS ${status}`;

/** SQL: the {@link CountedPushes} of `list`. */
export const COUNTED_PUSHES = `
  SELECT
    pending.number AS pending,
    failed.number AS failed,
    least(pending.oldest_at, failed.oldest_at) AS "oldestAt"
  FROM ${count('pending')}, ${count('failed')}`;

const COUNT = new PreparedStatement<CountedPushes>(
  'count-provider-list-pushes',
  `SELECT backlog.*
  FROM provider_lists AS list
  CROSS JOIN LATERAL (${COUNTED_PUSHES}) AS backlog
  WHERE list.account_id = $1 AND list.id = $2`,
);

const OPEN = new KeyedPages<OpenPush>({
  name: 'provider_list_pushes',
  owner: 'provider_list_id',
  group: 'status',
  groups: OPEN_STATUSES,
  condition: `status <> 'done'`,
  columns:
    'action, status, cause, attempts, error, next_attempt_at AS "nextAttemptAt", created_at AS "createdAt"',
});

/** Retries failed pushes, and pushes that wait after a failed attempt. Pushes beyond the cap of a day keep waiting. */
const RETRY = new PreparedStatement<{ retried: number }>(
  'retry-provider-list-pushes',
  `WITH retried AS (
    UPDATE provider_list_pushes
    SET status = 'pending', attempts = 0, next_attempt_at = clock_timestamp(), error = NULL
    WHERE account_id = $1 AND status <> 'done' AND ctid = ANY (
      ARRAY(
        SELECT ctid
        FROM provider_list_pushes
        WHERE account_id = $1 AND provider_list_id = $2 AND status = 'failed'
        ORDER BY created_at
        LIMIT ${MAX_RETRIED}
      ) || ARRAY(
        SELECT ctid
        FROM provider_list_pushes
        WHERE account_id = $1 AND provider_list_id = $2 AND status = 'pending' AND attempts > 0 AND next_attempt_at > now()
        ORDER BY next_attempt_at
        LIMIT ${MAX_RETRIED}
      )
    )
    RETURNING email
  )
  SELECT count(*)::integer AS retried FROM retried`,
);

/** Reads the open pushes for callers, and retries them. */
@Injectable()
export class PushesRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storedNames: StoredNames,
  ) {}

  async backlog(list: ListRef & ListPosition, on: EntityManager | DataSource): Promise<PushBacklog> {
    const [counted] = await COUNT.run(on, [list.accountId, list.id]);
    return (await this.withUnexamined([{ ...list, ...counted! }], on))[0]!;
  }

  /** Adds the number of changes after the positions of the lists in the feed. */
  async withUnexamined<List extends ListPosition & CountedPushes>(
    lists: List[],
    on: EntityManager | DataSource = this.dataSource,
  ): Promise<(List & PushBacklog)[]> {
    const readers = lists.flatMap(({ accountId, pushPosition: position }) =>
      position === null ? [] : [{ accountId, position }],
    );
    const backlogs = (await readFeedBacklogs(on, readers)).values();
    return lists.map((list) => {
      const { changes, since } = (list.pushPosition !== null && backlogs.next().value) || NOTHING;
      const times = [list.oldestAt, since].filter((time) => time !== null);
      const oldestAt = times.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
      return { ...list, unexamined: Math.max(0, changes), oldestAt };
    });
  }

  /**
   * Failed changes first, then pending ones; each group is sorted by address.
   *
   * @throws {KeptBlocksUnreadableError | ValidationError}
   */
  page({ accountId, id }: ListRef, { status, ...query }: PushesQuery): Promise<Page<OpenPush>> {
    return OPEN.read(this.dataSource, this.storedNames, accountId, { owner: id, group: status }, query);
  }

  /** Retries failed pushes now, at most {@link MAX_RETRIED} of each status, and ends a pause. */
  async retry({ accountId, id }: ListRef, transaction: EntityManager): Promise<number> {
    await transaction.update(ProviderList, { accountId, id }, { pushPausedUntil: null, pushError: null });
    return (await RETRY.run(transaction, [accountId, id]))[0]!.retried;
  }
}
