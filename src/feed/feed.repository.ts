import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { delimitRows, undelimitRows, type DelimitedRows } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import { LAST_POSITION } from '../ledger/feed-position.js';
import { changeAt } from './change-at.js';
import type { FeedChange } from './feed-change.js';
import { FEED_LINE_COLUMNS, toFeedChange, toFeedLine, type FeedLine } from './feed-line.js';
import { recordsAfter } from './records-after.js';

/** Of `number_pending_changes`. */
const PAGE_LENGTH = 100;

/** A pass over them takes some tens of milliseconds. */
const CHANGES_PER_PASS = 10_000;

/** What one statement sees of a feed. */
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
  /** The changes of the slice, in the order of the feed. */
  ids: string | null;
}

/**
 * The lines are read in the order of their ids, which is nearly that of the feed, as one range of the primary key: a lookup
 * for each takes four times as long, and only that key has this order, whatever a plan assumes about the size of the ledger.
 * `IS TRUE` keeps the filter a filter, with a hash table, and not a join.
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
          AND (id IN (SELECT id FROM change)) IS TRUE
        ORDER BY id
      ) AS line
    )
  FROM head`,
);

const NUMBER_PENDING = new PreparedStatement<{ numbered: string }>(
  'number-pending-changes',
  `SELECT number_pending_changes($1, ${CHANGES_PER_PASS}) AS numbered`,
);

const FIND_PENDING_ACCOUNTS = new PreparedStatement<{ accountId: number }>(
  'find-accounts-with-pending-changes',
  `SELECT id AS "accountId"
  FROM accounts
  WHERE EXISTS (SELECT FROM feed_pending WHERE account_id = accounts.id)`,
);

const READ_HEADS = new PreparedStatement<{ accountId: number; head: string; hasPending: boolean }>(
  'read-feed-heads',
  `SELECT
    account_id AS "accountId",
    coalesce((SELECT last_position FROM feed_heads WHERE feed_heads.account_id = asked.account_id), 0) AS head,
    NOT pg_is_in_recovery()
      AND EXISTS (SELECT FROM feed_pending WHERE feed_pending.account_id = asked.account_id) AS "hasPending"
  FROM unnest($1::integer[]) AS asked (account_id)`,
);

/** Where a slice is read. The replica suits readers that are usually far behind. */
export type FeedServer = 'primary' | 'replica';

@Injectable()
export class FeedRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
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
   * @returns whether there may be more of them than one pass takes
   */
  async numberPending(accountId: number): Promise<boolean> {
    const [pass] = await NUMBER_PENDING.run(this.dataSource, [accountId]);
    return Number(pass!.numbered) >= CHANGES_PER_PASS;
  }

  async findPendingAccounts(): Promise<number[]> {
    const rows = await FIND_PENDING_ACCOUNTS.run(this.dataSource, []);
    return rows.map(({ accountId }) => accountId);
  }

  /** How far the feeds of some accounts reach: for one with pending changes, further than any position, except on a read replica, which cannot number them. */
  async readHeads(accountIds: number[]): Promise<Map<number, number>> {
    const rows = await READ_HEADS.run(this.dataSource, [accountIds]);
    return new Map(
      rows.map(({ accountId, head, hasPending }) => [accountId, hasPending ? Infinity : Number(head)]),
    );
  }
}

async function readSlice(
  source: DataSource,
  accountId: number,
  position: number,
  limit: number,
): Promise<FeedSlice> {
  const rows = await READ.run(source, [accountId, position, limit]);
  const { delimited, ids, head, ...row } = rows[0]!;
  const lines = inOrder(ids, undelimitRows([{ delimited }], FEED_LINE_COLUMNS, toFeedLine));
  const records = await recordsAfter(source, accountId, lines);
  const changes = lines.map((line, index) => toFeedChange(line, position + index + 1, records[index]!));
  return { changes, head: Number(head), ...row };
}

/** @param ids - joined by commas */
function inOrder(ids: string | null, lines: FeedLine[]): FeedLine[] {
  const byId = new Map(lines.map((line) => [line.id, line]));
  return (ids ? ids.split(',') : []).map((id) => byId.get(id)!);
}

function endsBeforeHead({ changes, head }: FeedSlice, limit: number): boolean {
  const last = changes.at(-1);
  return last !== undefined && changes.length === limit && last.position < head;
}
