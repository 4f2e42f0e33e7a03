import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<true>();

/** Runs work whose reads all go to the primary, so that they show what its caller has just written. */
export function onPrimary<Result>(work: () => Result): Result {
  return storage.run(true, work);
}

export function isOnPrimary(): boolean {
  return storage.getStore() === true;
}
