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
