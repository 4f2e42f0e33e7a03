import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

const RESOLUTION_MS = 1;
const TICKS_MS = 5;
const MS = 1e6;

/**
 * Runs in the service process, by `--import`. Each message starts a measurement; the response is the longest delay of the event
 * loop since the previous message, in milliseconds.
 */
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
process.on('message', () => void restart());
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

/** The histogram has a delay only after the next tick, and ignores the first tick after a reset. */
async function restart(): Promise<void> {
  await delay(TICKS_MS);
  const longest = delays.max / MS - RESOLUTION_MS;
  delays.reset();
  await delay(TICKS_MS);
  process.send!(Math.max(0, longest));
}
