import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiError } from '../errors/api-error.js';

const WINDOW_SECONDS = 60;

/** Limits failures per minute and client network. */
export class FailureLimit {
  private readonly failures: RateLimiterMemory;

  /** @param Refusal - the error beyond the limit; it gets the seconds until the limit ends */
  constructor(
    private readonly max: number,
    private readonly Refusal: new (seconds: number) => ApiError,
  ) {
    this.failures = new RateLimiterMemory({ points: max, duration: WINDOW_SECONDS });
  }

  /**
   * @param network - undefined if a proxy hides it; then nothing is limited
   * @throws {ApiError} `Refusal`, beyond the limit
   */
  async count(network: string | undefined): Promise<void> {
    const state = network === undefined ? undefined : await this.failures.penalty(network);
    if (state && state.consumedPoints > this.max) {
      throw new this.Refusal(secondsToReset(state));
    }
  }

  /** Undoes a count. */
  async uncount(network: string | undefined): Promise<void> {
    if (network !== undefined) {
      await this.failures.reward(network);
    }
  }
}

export function secondsToReset({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000));
}
