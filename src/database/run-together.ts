import type { EntityManager } from 'typeorm';
import { preparedOf, remainingMs } from './transaction.js';

/**
 * Runs statements of a transaction that do not need each other's results, in the order given. They are sent at once if all
 * would end before the deadline even if each reached the statement timeout; otherwise, one after the other.
 *
 * @param work - each sends at most one statement, and sends it before it waits for anything
 * @throws the error of the first statement that failed, after all have ended: PostgreSQL refuses those behind it
 */
export async function runTogether<Results extends unknown[]>(
  transaction: EntityManager,
  work: { [Index in keyof Results]: () => Promise<Results[Index]> },
): Promise<Results> {
  const { deadline, statementTimeoutMs } = preparedOf(transaction);
  if (remainingMs(deadline) < work.length * statementTimeoutMs) {
    const results: unknown[] = [];
    for (const run of work) {
      results.push(await run());
    }
    return results as Results;
  }
  const ended = await Promise.allSettled(work.map((run) => run()));
  return ended.map((one) => {
    if (one.status === 'rejected') {
      throw one.reason;
    }
    return one.value;
  }) as Results;
}
