import { AsyncLocalStorage } from 'node:async_hooks';
import { EntityManager } from 'typeorm';

/** Where a statement that writes runs: in a transaction of {@link transactionBefore}, or on its own until a deadline. */
export type WriteContext = EntityManager | { deadline: number };

type Callback = () => void;

/** Calls back once the writes of a context are committed, and never if they are rolled back. */
export function afterCommit(context: WriteContext, callback: Callback): void {
  if (context instanceof EntityManager) {
    callbacksOf(context).push(callback);
  } else {
    callback();
  }
}

export function runAfterCommit(transaction: EntityManager): void {
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

type HandOver<Result> = (result: Result) => Promise<void>;

const current = new AsyncLocalStorage<HandOver<unknown>>();

/**
 * Makes a change, and hands over its result before the COMMIT. If that fails, nothing was changed.
 *
 * @param change - returns what its only transaction returns
 */
export async function handOverFirst<Result>(
  change: () => Promise<Result>,
  handOver: HandOver<Result>,
): Promise<Result> {
  let isDone = false;
  const handOverOnce = async (result: unknown) => {
    if (!isDone) {
      isDone = true;
      await handOver(result as Result);
    }
  };
  const result = await current.run(handOverOnce, change);
  await handOverOnce(result);
  return result;
}

/** Called by a transaction before its COMMIT. */
export async function handOverResult(result: unknown): Promise<void> {
  await current.getStore()?.(result);
}
