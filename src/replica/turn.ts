import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_MS = 10;

/** Lets other work of the process go on during a long loop. */
export class Turn {
  private beganAt = performance.now();

  /** Whether the loop has to {@link end} the turn. */
  get isOver(): boolean {
    return performance.now() - this.beganAt > LONGEST_MS;
  }

  async end(): Promise<void> {
    await nextTurn();
    this.beganAt = performance.now();
  }
}
