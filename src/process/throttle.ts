/** Passes on at most one call in an interval, and drops the others. */
export function throttle<Args extends unknown[]>(
  call: (...args: Args) => void,
  intervalMs: number,
): (...args: Args) => void {
  let next = -Infinity;
  return (...args) => {
    const now = performance.now();
    if (now >= next) {
      next = now + intervalMs;
      call(...args);
    }
  };
}
