import { setImmediate } from 'node:timers/promises';

/** Reads the next value while the caller handles the one before, and lets others run in between. */
export async function* readAhead<Value>(source: AsyncIterator<Value>): AsyncGenerator<Value> {
  const read = async (): Promise<IteratorResult<Value>> => {
    await setImmediate();
    return source.next();
  };
  let next = read();
  try {
    for (let result = await next; !result.done; result = await next) {
      next = read();
      // It may fail while the caller still handles the value before.
      next.catch(() => undefined);
      yield result.value;
    }
  } finally {
    await next.catch(() => undefined);
    await source.return?.();
  }
}
