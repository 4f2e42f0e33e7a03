import { EntityManager } from 'typeorm';
import type { WriteContext } from './write-context.js';

type Callback = () => void;

/** Calls back once the writes of a context are committed, and never if they are rolled back. */
export function afterCommit(context: WriteContext, callback: Callback): void {
  if (context instanceof EntityManager) {
    callbacksOf(context).push(callback);
  } else {
    callback();
  }
}

/** Calls what waits for the commit of a transaction. */
export function runAfterCommit(transaction: EntityManager): void {
  callbacksOf(transaction).forEach((callback) => callback());
}

/** Returns the result of statements, and rolls them back while the transaction goes on. If they throw, it must end. */
export async function rolledBack<Result>(
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
