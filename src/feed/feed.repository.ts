import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { accountsWith } from '../database/accounts-with.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import { readSlice, type FeedSlice } from './read-slice.js';

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

  async findPendingAccounts(): Promise<number[]> {
    const rows = await FIND_PENDING_ACCOUNTS.run(this.dataSource, []);
    return rows.map(({ accountId }) => accountId);
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
