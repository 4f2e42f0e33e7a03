import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase } from 'pg';
import { EntityManager, type DataSource } from 'typeorm';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { STATEMENT_TIMEOUT_MS } from './connections.js';
import { DeadlineExceededError, StalePlanError } from './errors.js';
import { inTurn } from './pool.js';

/**
 * All changes that are older than this are visible. A transaction that writes ends within {@link REQUEST_TIME_LIMIT_MS}, and
 * its COMMIT, which may wait for a standby, within {@link STATEMENT_TIMEOUT_MS}. The rest allows for differences between
 * clocks.
 */
export const LONGEST_WRITE_MS = 10_000;
/** The time limit of a background transaction. Checks in the past, replays, and other writers rely on short transactions. */
export const STEP_MS = 4_000;

/** The account and the deadline of work in the database. */
export interface WorkContext {
  /** Undefined for work about several accounts, or about none. */
  accountId?: number | undefined;
  deadline: number;
}

/** The context of a background transaction. */
export function inStep(accountId?: number): WorkContext {
  return { accountId, deadline: performance.now() + STEP_MS };
}

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
  { accountId, deadline }: WorkContext,
  work: (transaction: EntityManager) => Promise<Result>,
): Promise<Result> {
  const run = () =>
    retryOnce(async () => {
      const end = Math.min(deadline, performance.now() + REQUEST_TIME_LIMIT_MS);
      let committing: EntityManager;
      const result = await dataSource.transaction(async (transaction) => {
        committing = transaction;
        await prepare(transaction, { deadline: end });
        const done = await work(transaction);
        requireTime(end);
        await handOver.getStore()?.(done);
        return done;
      });
      runAfterCommit(committing!);
      return result;
    });
  return inTurn(dataSource, accountId, run);
}

type HandOver<Result> = (result: Result) => Promise<void>;

const handOver = new AsyncLocalStorage<HandOver<unknown>>();

/**
 * Makes a change, and hands over its result before the COMMIT. If handing it over fails, nothing is changed.
 *
 * @param change - returns what its only transaction returns
 */
export async function handOverFirst<Result>(
  change: () => Promise<Result>,
  receive: HandOver<Result>,
): Promise<Result> {
  let isDone = false;
  const receiveOnce = async (result: unknown) => {
    if (!isDone) {
      isDone = true;
      await receive(result as Result);
    }
  };
  const result = await handOver.run(receiveOnce, change);
  await receiveOnce(result);
  return result;
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
  { accountId, ...limits }: WorkContext & Required<TransactionLimits>,
  settings: string,
  work: (snapshot: EntityManager) => Promise<Result>,
): Promise<Result> {
  const run = () =>
    retryOnce(() =>
      dataSource.transaction(async (snapshot) => {
        await snapshot.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; ${settings}`);
        await prepare(snapshot, limits);
        return work(snapshot);
      }),
    );
  return inTurn(dataSource, accountId, run);
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

export function preparedOf({ queryRunner }: EntityManager): Required<PreparedTransaction> {
  const prepared = queryRunner!.data as Partial<PreparedTransaction>;
  const { connection, deadline, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = prepared;
  if (!connection || deadline === undefined) {
    throw new Error('A prepared statement needs a transaction of transactionBefore or snapshotBefore.');
  }
  return { connection, deadline, statementTimeoutMs };
}

/** Sends settings without waiting. If they fail, so do the statements behind them. */
function set(connection: ClientBase, settings: string): void {
  connection.query(settings).catch(() => undefined);
}

/** Limits each later statement of a transaction, and each wait for a lock, to less than the usual time. */
export function limitStatements(
  transaction: EntityManager,
  statementTimeoutMs: number,
  lockTimeoutMs: number,
): void {
  const limits: Partial<TransactionLimits> = { statementTimeoutMs };
  Object.assign(transaction.queryRunner!.data, limits);
  set(
    preparedOf(transaction).connection,
    `SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL lock_timeout = ${lockTimeoutMs}`,
  );
}

/** The connection of a transaction, with a statement timeout that ends no later than the transaction. */
export function connectionInTime(transaction: EntityManager): ClientBase {
  const { connection, deadline, statementTimeoutMs } = preparedOf(transaction);
  const leftMs = requireTime(deadline);
  if (leftMs < statementTimeoutMs) {
    set(connection, `SET LOCAL statement_timeout = ${leftMs}`);
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

/** Where a statement that writes runs: in a transaction of {@link transactionBefore}, or on its own until a deadline. */
export type WriteContext = EntityManager | WorkContext;

type Callback = () => void;

/** Calls back once the writes of a context are committed, and never if they are rolled back. */
export function afterCommit(context: WriteContext, callback: Callback): void {
  if (context instanceof EntityManager) {
    callbacksOf(context).push(callback);
  } else {
    callback();
  }
}

function runAfterCommit(transaction: EntityManager): void {
  callbacksOf(transaction).forEach((callback) => callback());
}

/** Returns the result of statements, and rolls them back to a savepoint. The transaction can continue unless they throw. */
export async function runAndRollBack<Result>(
  transaction: EntityManager,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = callbacksOf(transaction).length;
  await transaction.query('SAVEPOINT attempt');
  const result = await work();
  await transaction.query('ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt');
  callbacksOf(transaction).length = before;
  return result;
}

function callbacksOf({ queryRunner }: EntityManager): Callback[] {
  const data = queryRunner!.data as { afterCommit?: Callback[] };
  return (data.afterCommit ??= []);
}
