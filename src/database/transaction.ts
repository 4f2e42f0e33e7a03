import type { ClientBase } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { runAfterCommit } from './after-commit.js';
import { STATEMENT_TIMEOUT_MS } from './connections.js';
import { handOverResult } from './hand-over.js';
import { DeadlineExceededError, StalePlanError } from './errors.js';

/**
 * All changes that are older than this are visible. A transaction that writes ends within {@link REQUEST_TIME_LIMIT_MS}, and its
 * COMMIT, which may wait for a standby, within {@link STATEMENT_TIMEOUT_MS}. The rest is for clocks that differ.
 */
export const LONGEST_WRITE_MS = 10_000;
/** Reserved for the response to reach the caller. */
const MARGIN_MS = 200;

/** Repeats work that failed because of a stale plan, which PostgreSQL reports before the statement does anything. */
export async function retryOnce<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StalePlanError) {
      return work();
    }
    throw error;
  }
}

/**
 * Runs statements in one transaction, which is rolled back unless it ends before its caller gets 503, and within
 * {@link REQUEST_TIME_LIMIT_MS}.
 *
 * @throws {DeadlineExceededError} if the time was not sufficient
 */
export function transactionBefore<Result>(
  dataSource: DataSource,
  deadline: number,
  work: (transaction: EntityManager) => Promise<Result>,
): Promise<Result> {
  return retryOnce(async () => {
    const end = Math.min(deadline, performance.now() + REQUEST_TIME_LIMIT_MS);
    let committing: EntityManager;
    const result = await dataSource.transaction(async (transaction) => {
      committing = transaction;
      await prepare(transaction, { deadline: end });
      const done = await work(transaction);
      requireTime(end);
      await handOverResult(done);
      return done;
    });
    runAfterCommit(committing!);
    return result;
  });
}

/**
 * Reads in one snapshot of the database, which may take longer than a transaction that writes. No statement begins after the
 * deadline.
 *
 * @param settings - SQL, for the transaction
 * @throws {DeadlineExceededError} if the time was not sufficient
 */
export function snapshotBefore<Result>(
  dataSource: DataSource,
  limits: Required<TransactionLimits>,
  settings: string,
  work: (snapshot: EntityManager) => Promise<Result>,
): Promise<Result> {
  return retryOnce(() =>
    dataSource.transaction(async (snapshot) => {
      await snapshot.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; ${settings}`);
      await prepare(snapshot, limits);
      return work(snapshot);
    }),
  );
}

interface TransactionLimits {
  deadline: number;
  /** The timeout of a statement, if it is not the usual one. */
  statementTimeoutMs?: number;
}

interface PreparedTransaction extends TransactionLimits {
  connection: ClientBase;
}

async function prepare({ queryRunner }: EntityManager, limits: TransactionLimits): Promise<void> {
  const connection = (await queryRunner!.connect()) as ClientBase;
  const prepared: PreparedTransaction = { ...limits, connection };
  Object.assign(queryRunner!.data, prepared);
}

/**
 * Limits each statement of a transaction, and each wait for a lock, to less than the usual time. Statements that are sent
 * before it has ended are limited as well.
 */
export async function limitStatements(
  { queryRunner }: EntityManager,
  statementTimeoutMs: number,
  lockTimeoutMs: number,
): Promise<void> {
  const prepared = queryRunner!.data as PreparedTransaction;
  prepared.statementTimeoutMs = statementTimeoutMs;
  await prepared.connection.query(
    `SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL lock_timeout = ${lockTimeoutMs}`,
  );
}

/**
 * The connection of a transaction, where no statement takes longer than the transaction may. PostgreSQL runs the statements in
 * the order in which they are sent, so the caller may send several before the first one has ended.
 */
export function connectionInTime({ queryRunner }: EntityManager): ClientBase {
  const {
    connection,
    deadline,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  } = queryRunner!.data as Partial<PreparedTransaction>;
  if (!connection || deadline === undefined) {
    throw new Error('A prepared statement needs a transaction of transactionBefore or snapshotBefore.');
  }
  const leftMs = requireTime(deadline);
  if (leftMs < statementTimeoutMs) {
    // If it fails, so does the statement that follows.
    connection.query(`SET LOCAL statement_timeout = ${leftMs}`).catch(() => undefined);
  }
  return connection;
}

/** The milliseconds that a write may take, zero or less if the deadline is over. */
export function remainingMs(deadline: number): number {
  return Math.floor(deadline - MARGIN_MS - performance.now());
}

/**
 * The milliseconds that a write may take.
 *
 * @throws {DeadlineExceededError} if none are left
 */
export function requireTime(deadline: number): number {
  const leftMs = remainingMs(deadline);
  if (leftMs <= 0) {
    throw new DeadlineExceededError();
  }
  return leftMs;
}
