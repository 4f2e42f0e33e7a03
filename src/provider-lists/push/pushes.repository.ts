import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { toPage, type Page } from '../../http/page.js';
import { readFeedBacklogs, type FeedBacklog } from '../../feed/feed-backlogs.js';
import { requireCursorOf } from '../key-cursor.js';
import type { ProviderList } from '../provider-list.entity.js';
import type { OpenPushStatus, ProviderListPush } from './provider-list-push.entity.js';

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

export const NO_BACKLOG: PushBacklog = { pending: 0, failed: 0, unexamined: 0, oldestAt: null };

export type OpenPush = Pick<
  ProviderListPush,
  'email' | 'list' | 'address' | 'action' | 'cause' | 'attempts' | 'nextAttemptAt' | 'error' | 'createdAt'
> & { status: OpenPushStatus };

export interface PushesQuery {
  status?: OpenPushStatus | undefined;
  email?: EmailAddress | undefined;
  after?: OpenPosition | undefined;
  limit: number;
}

/** The last push of a page, or of a slice. */
export type OpenPosition = [status: string, email: string, list: string, address: string];

export const OPEN_START: OpenPosition = ['', '', '', ''];

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

const COLUMNS = 'email, list, address, action, status, cause, attempts, error, next_attempt_at, created_at';

/** Because of the order, no index with pushes of other statuses can be used. Parameter 3: the last status in the order. */
const page = (name: string, table: string) =>
  new PreparedStatement<OpenPush>(
    name,
    `SELECT
    email, list, address, action, status, cause, attempts, error,
    next_attempt_at AS "nextAttemptAt",
    created_at AS "createdAt"
  FROM ${table}
  WHERE account_id = $1
    AND provider_list_id = $2
    AND status <> 'done'
    AND status <= $3
    AND (status, email, list, address) > ($4, $5, $6, $7)
  ORDER BY status, email, list, address
  LIMIT $8`,
  );

const PAGE = page('page-provider-list-pushes', 'provider_list_pushes');

/**
 * Finds all pushes of an address by their key, and then sorts them, because they are few. Parameter 9: the stored names of the
 * address.
 */
const PAGE_OF_ADDRESS = page(
  'page-provider-list-pushes-of-address',
  `(
    SELECT account_id, provider_list_id, ${COLUMNS}
    FROM provider_list_pushes
    WHERE account_id = $1 AND provider_list_id = $2 AND email = ANY ($9::text[])
    OFFSET 0
  ) AS push`,
);

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
  ),
  resumed AS (
    UPDATE provider_lists SET push_paused_until = NULL, push_error = NULL WHERE account_id = $1 AND id = $2
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
  async page(
    { accountId, id }: ListRef,
    { status, email, after, limit }: PushesQuery,
  ): Promise<Page<OpenPush>> {
    requireCursorOf(status, after);
    const [afterStatus, ...key] = after ?? [status ?? '', '', '', ''];
    const values = [accountId, id, status ?? 'pending', afterStatus, ...key, limit + 1];
    const rows = email
      ? await PAGE_OF_ADDRESS.run(this.dataSource, [
          ...values,
          await this.storedNames.namesOf(accountId, email),
        ])
      : await PAGE.run(this.dataSource, values);
    return toPage(rows, limit);
  }

  /** Retries failed pushes now, at most {@link MAX_RETRIED} of each status. */
  async retry({ accountId, id }: ListRef, transaction: EntityManager): Promise<number> {
    return (await RETRY.run(transaction, [accountId, id]))[0]!.retried;
  }
}
