import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TooManySignInsError } from '../people/errors.js';

const MAX_FAILURES = 10;
const WINDOW_SECONDS = 60;

/** Counts the sign-ins that failed, by the network that they came from. */
export class SignInAttempts {
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS });

  /**
   * @param network - undefined if a proxy hides it: then nobody can be told from others, and nothing is limited
   * @throws {TooManySignInsError} if ten sign-ins from the network failed within the last minute
   */
  async limit<Result>(network: string | undefined, signIn: () => Promise<Result>): Promise<Result> {
    if (network === undefined) {
      return signIn();
    }
    const state = await this.failures.get(network);
    if (state && state.consumedPoints >= MAX_FAILURES) {
      throw new TooManySignInsError(Math.max(1, Math.ceil(state.msBeforeNext / 1_000)));
    }
    try {
      return await signIn();
    } catch (error) {
      await this.failures.penalty(network);
      throw error;
    }
  }
}
