const passing = performance.now.bind(performance);
let aheadMs = 0;
let stoppedAt: number | undefined;

// The files that the same process runs later share `performance`.
afterAll(() => Reflect.deleteProperty(performance, 'now'));

/**
 * Stops `performance.now()`, by which deadlines and caches go, some time from now, and returns what starts it again. It never goes
 * back, so it stays ahead until all tests of the file have ended.
 */
export function stopClock({ laterMs = 0 } = {}): { start(): void } {
  performance.now = () => stoppedAt ?? passing() + aheadMs;
  stoppedAt = performance.now() + laterMs;
  return {
    start: () => {
      if (stoppedAt !== undefined) {
        aheadMs = stoppedAt - passing();
        stoppedAt = undefined;
      }
    },
  };
}

/** Lets the clock of deadlines and caches go forward. */
export function skipTime(ms: number): void {
  stopClock({ laterMs: ms }).start();
}
