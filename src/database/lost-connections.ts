/** Errors of any class which a connection caused that broke, or could not be opened. */
const caused = new WeakSet<object>();

/** Remembers what caused an error, and returns the error. */
export function markLost(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) {
    caused.add(error);
  }
  return error;
}

export function isMarkedLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && caused.has(error);
}
