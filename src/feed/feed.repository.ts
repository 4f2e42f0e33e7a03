import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { accountsWith } from '../database/accounts-with.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import { delimitRows, undelimitRows, type DelimitedRows } from '../database/rows.js';
import { changeAt, LAST_POSITION } from '../ledger/feed-position.js';
import type { FeedChange } from './feed-change.js';
import { FEED_LINE_COLUMNS, toFeedChange, toFeedLine, type FeedLine } from './feed-line.js';
import { recordsAfter } from './records-after.js';

/** The same as in the database function `number_pending_changes`. */
const PAGE_LENGTH = 100;

/** The most ledger lines that are read for a slice at once, which takes a few milliseconds. */
const MAX_RANGE = 5_000;

/** A part of a feed, as one statement sees it. */
export interface FeedSlice {
  changes: FeedChange[];
  /** The last position, 0 if the feed is empty, and the change that has it. */
  head: number;
  headId: string | null;
  /** The change at the position after which the slice begins, or null if no change has that position. */
  previousId: string | null;
  /** Whether changes wait for their positions. */
  hasPending: boolean;
}

interface SliceRow extends Omit<FeedSlice, 'changes' | 'head'>, DelimitedRows {
  head: string;
  /** The changes of the slice, in the order of the feed, joined by commas. */
  ids: string | null;
}

/**
 * Reads the changes between two positions. The order of ids is nearly that of the feed, so their lines are read as one range of
 * the primary key. Only this key has the order, whatever the planner assumes about the size of the ledger. `IS TRUE` makes
 * PostgreSQL filter with a hash table instead of joining.
 */
const READ = new PreparedStatement<SliceRow>(
  'read-feed',
  `WITH page AS MATERIALIZED (
    SELECT
      first_position,
      change_ids[
        greatest($2::bigint + 2 - first_position, 1) : $2::bigint + $3::integer + 1 - first_position
      ] AS ids
    FROM feed_pages
    WHERE account_id = $1
      AND first_position > $2::bigint - ${PAGE_LENGTH}
      AND first_position <= $2::bigint + $3::integer
      AND first_position + cardinality(change_ids) > $2::bigint + 1
  ),
  change AS MATERIALIZED (
    SELECT unnest(ids) AS id FROM page
  ),
  head AS (
    SELECT ${LAST_POSITION} AS position
  )
  SELECT
    head.position AS head,
    ${changeAt('$1', 'head.position')} AS "headId",
    ${changeAt('$1', '$2::bigint')} AS "previousId",
    EXISTS (SELECT FROM feed_pending WHERE account_id = $1) AS "hasPending",
    (SELECT string_agg(array_to_string(ids, ','), ',' ORDER BY first_position) FROM page) AS ids,
    (
      SELECT ${delimitRows(FEED_LINE_COLUMNS)}
      FROM (
        SELECT *
        FROM suppression_changes
        WHERE account_id = $1
          AND id >= (SELECT id FROM change ORDER BY id LIMIT 1)
          AND id <= (SELECT id FROM change ORDER BY id DESC LIMIT 1)
        ORDER BY id
        LIMIT ${MAX_RANGE}
      ) AS line
      WHERE (id IN (SELECT id FROM change)) IS TRUE
    )
  FROM head`,
);

/** Looks lines up by id. The order and the limit rule out every index except the primary key. */
const LOOK_UP = new PreparedStatement<DelimitedRows>(
  'look-up-feed-lines',
  `SELECT ${delimitRows(FEED_LINE_COLUMNS)}
  FROM unnest($2::uuid[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT *
    FROM suppression_changes
    WHERE account_id = $1 AND id >= wanted.id AND id <= wanted.id
    ORDER BY id
    LIMIT 1
  ) AS line`,
);

/** A pass over them takes some tens of milliseconds. */
const CHANGES_PER_PASS = 10_000;

const NUMBER_PENDING = new PreparedStatement<{ numbered: string }>(
  'number-pending-changes',
  `SELECT number_pending_changes($1, ${CHANGES_PER_PASS}) AS numbered`,
);

const FIND_PENDING_ACCOUNTS = new PreparedStatement<{ accountId: number }>(
  'find-accounts-with-pending-changes',
  `SELECT account_id AS "accountId" FROM ${accountsWith('feed_pending')} AS pending`,
);

const READ_HEADS = new PreparedStatement<{ accountId: number; head: string; hasPending: boolean }>(
  'read-feed-heads',
  `SELECT
    account_id AS "accountId",
    coalesce((SELECT last_position FROM feed_heads WHERE feed_heads.account_id = requested.account_id), 0) AS head,
    NOT pg_is_in_recovery()
      AND EXISTS (SELECT FROM feed_pending WHERE feed_pending.account_id = requested.account_id) AS "hasPending"
  FROM unnest($1::integer[]) AS requested (account_id)`,
);

/** The server that a slice is read from. The replica suits readers that are usually far behind. */
export type FeedServer = 'primary' | 'replica';

@Injectable()
export class FeedRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly replica: ReadReplica,
  ) {}

  /**
   * Reads up to `limit` changes after a position. All positions that the statement sees are final. A read replica may lack the
   * last ones, so it only serves slices that end before them.
   */
  read(accountId: number, position: number, limit: number, server: FeedServer): Promise<FeedSlice> {
    const read = (source: DataSource) => readSlice(source, accountId, position, limit);
    const isSufficient = (slice: FeedSlice) => endsBeforeHead(slice, limit);
    return server === 'primary' ? read(this.dataSource) : this.replica.read(read, isSufficient);
  }

  /**
   * Gives committed changes their positions, the oldest ones first. It waits for a pass that another reader began, so that it
   * sees every change that was committed before the call.
   *
   * @returns whether another pass may be needed
   */
  async numberPending(accountId: number): Promise<boolean> {
    const [pass] = await NUMBER_PENDING.run(this.dataSource, [accountId]);
    return Number(pass!.numbered) >= CHANGES_PER_PASS;
  }

  findPendingAccounts(): Promise<{ accountId: number }[]> {
    return FIND_PENDING_ACCOUNTS.run(this.dataSource, []);
  }

  /**
   * The last position in each feed. Infinity while changes of the account wait for their positions, except on
   * a read replica, which cannot number them.
   */
  async readHeads(accountIds: number[]): Promise<Map<number, number>> {
    const rows = await READ_HEADS.run(this.dataSource, [accountIds]);
    return new Map(
      rows.map(({ accountId, head, hasPending }) => [accountId, hasPending ? Infinity : Number(head)]),
    );
  }
}

function endsBeforeHead({ changes, head }: FeedSlice, limit: number): boolean {
  const last = changes.at(-1);
  return last !== undefined && changes.length === limit && last.position < head;
}

async function readSlice(
  source: DataSource,
  accountId: number,
  position: number,
  limit: number,
): Promise<FeedSlice> {
  const rows = await READ.run(source, [accountId, position, limit]);
  const { delimited, ids, head, ...row } = rows[0]!;
  const found = undelimitRows([{ delimited }], FEED_LINE_COLUMNS, toFeedLine);
  const lines = await inOrder(source, accountId, ids ? ids.split(',') : [], found);
  const records = await recordsAfter(source, accountId, lines);
  const changes = lines.map((line, index) => toFeedChange(line, position + index + 1, records[index]!));
  return { changes, head: Number(head), ...row };
}

/**
 * Returns the lines with these ids, in their order. Lines outside the range are looked up, because the clock that ids are made
 * from may have been set back between two changes, by any amount.
 */
async function inOrder(
  source: DataSource,
  accountId: number,
  ids: string[],
  found: FeedLine[],
): Promise<FeedLine[]> {
  const byId = new Map(found.map((line) => [line.id, line]));
  const missing = ids.filter((id) => !byId.has(id));
  if (missing.length > 0) {
    const rows = await LOOK_UP.run(source, [accountId, missing]);
    undelimitRows(rows, FEED_LINE_COLUMNS, toFeedLine).forEach((line) => byId.set(line.id, line));
  }
  return ids.map((id) => byId.get(id)!);
}
