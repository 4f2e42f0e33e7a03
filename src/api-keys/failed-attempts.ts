import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TooManyFailedAttemptsError } from './errors.js';

/** Far more than somebody needs to notice a wrong key, far fewer than somebody needs to guess one. */
const MAX_FAILURES = 100;
const WINDOW_SECONDS = 60;

export class FailedAttempts {
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS });

  /** @throws {TooManyFailedAttemptsError} if the network has failed too often within the last minute */
  async add(network: string): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.failures.penalty(network);
    if (consumedPoints > MAX_FAILURES) {
      throw new TooManyFailedAttemptsError(Math.max(1, Math.ceil(msBeforeNext / 1_000)));
    }
  }
}
