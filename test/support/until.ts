import { setTimeout as delay } from 'node:timers/promises';

const STEP_MS = 10;
const PATIENCE_MS = 60_000;

/** Waits until a condition holds; fails when it never does, or not in time where that is promised. */
export async function until(condition: () => unknown, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`waited in vain for ${condition}`);
    }
    await delay(STEP_MS);
  }
}
