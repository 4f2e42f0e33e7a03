import type { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const SHORTEST_STEP_MS = 10;
const LONGEST_STEP_MS = 100;
const PATIENCE_MS = 60_000;

/**
 * Waits until a condition holds; fails when it never does, or not in time where that is promised. What was waited for longer is
 * asked for less often: a condition may be a request.
 */
export async function until(condition: () => unknown, patienceMs = PATIENCE_MS): Promise<void> {
  const start = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - start;
    if (waitedMs > patienceMs) {
      throw new Error(`gave up waiting for ${condition}`);
    }
    await delay(Math.min(Math.max(waitedMs / 8, SHORTEST_STEP_MS), LONGEST_STEP_MS));
  }
}

/** Waits until a server has received as many requests from now on. */
export async function untilReceived(server: EventEmitter, requests = 1): Promise<void> {
  let received = 0;
  const count = () => void received++;
  server.on('request', count);
  await until(() => received >= requests);
  server.off('request', count);
}
