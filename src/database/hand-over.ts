import { AsyncLocalStorage } from 'node:async_hooks';

type HandOver<Result> = (result: Result) => Promise<void>;

const current = new AsyncLocalStorage<HandOver<unknown>>();

/**
 * Makes a change, and hands over its result before the COMMIT. If handing it over fails, nothing is changed.
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
