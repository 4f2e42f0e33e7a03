import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TooManyFailedAttemptsError } from './errors.js';

/** Far more than somebody needs to notice a wrong key, far fewer than somebody needs to guess one. */
const MAX_FAILURES = 100;
const WINDOW_SECONDS = 60;

/** Counts the unknown keys that each client network tries at this instance. */
export class FailedAttempts {
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS });

  /** @throws {TooManyFailedAttemptsError} if the network has failed too often within the last minute */
  async requireFew(network: string): Promise<void> {
    const state = await this.failures.get(network);
    if (state && state.consumedPoints >= MAX_FAILURES) {
      throw new TooManyFailedAttemptsError(Math.max(1, Math.ceil(state.msBeforeNext / 1_000)));
    }
  }

  async add(network: string): Promise<void> {
    await this.failures.penalty(network);
  }
}
