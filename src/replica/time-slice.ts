import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_MS = 10;

/** Yields to the event loop during a long loop. */
export class TimeSlice {
  private beganAt = performance.now();

  /** Whether the loop has to call {@link end}. */
  get isOver(): boolean {
    return performance.now() - this.beganAt > MAX_MS;
  }

  async end(): Promise<void> {
    await nextTurn();
    this.beganAt = performance.now();
  }
}
