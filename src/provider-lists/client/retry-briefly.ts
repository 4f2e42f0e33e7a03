import { setTimeout as delay } from 'node:timers/promises';
import { ProviderFailure, ProviderPause, TOO_SLOW } from './provider-failure.js';

/** By the kind of the failure. */
const MAX_TRIES = { busy: 10, unavailable: 3, refused: 1, unexpected: 1 };
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** Longer pauses are left to the caller. */
const LONGEST_WAIT_MS = 2_000;

/**
 * Repeats work while the provider is busy or fails, for a short time.
 *
 * @throws {ProviderFailure | ProviderPause}
 */
export async function retryBriefly<Result>(
  stopping: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const tries = { busy: 0, unavailable: 0, refused: 0, unexpected: 0 };
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isTooSlow = ['AbortError', 'TimeoutError'].includes((error as Error).name) && !stopping.aborted;
      const failure = isTooSlow ? TOO_SLOW : error;
      const pauseMs = failure instanceof ProviderFailure ? pauseAfter(failure, ++tries[failure.kind]) : null;
      if (pauseMs === null || stopping.aborted) {
        throw failure;
      }
      if (pauseMs > LONGEST_WAIT_MS) {
        throw new ProviderPause(failure as ProviderFailure, pauseMs);
      }
      await delay(pauseMs, undefined, { signal: stopping });
    }
  }
}

/**
 * @param tries - how many tries failed in this way
 * @returns null if another try would be too early, or would not help
 */
function pauseAfter({ kind, retryAfterMs }: ProviderFailure, tries: number): number | null {
  const pauseMs = retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
  return tries < MAX_TRIES[kind] && pauseMs <= LONGEST_PAUSE_MS ? pauseMs : null;
}
