import { Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { IdentityProviderError, SignInLinkError, TooManySignInsError } from '../people/errors.js';

const MAX_FAILURES = 10;
const WINDOW_SECONDS = 60;

/** Counts the sign-ins that failed, by the network that they came from. */
@Injectable()
export class SignInAttempts {
  private readonly failures = new RateLimiterMemory({ points: MAX_FAILURES, duration: WINDOW_SECONDS });

  /**
   * @param network - undefined if a proxy hides it: then clients cannot be distinguished, and nothing is limited
   * @throws {TooManySignInsError} if ten sign-ins from the network failed or began within the last minute
   */
  async limit<Result>(network: string | undefined, signIn: () => Promise<Result>): Promise<Result> {
    if (network === undefined) {
      return signIn();
    }
    const { consumedPoints, msBeforeNext } = await this.failures.penalty(network);
    let hasFailed = false;
    try {
      if (consumedPoints > MAX_FAILURES) {
        throw new TooManySignInsError(Math.max(1, Math.ceil(msBeforeNext / 1_000)));
      }
      return await signIn();
    } catch (error) {
      hasFailed = error instanceof SignInLinkError || error instanceof IdentityProviderError;
      throw error;
    } finally {
      if (!hasFailed) {
        await this.failures.reward(network);
      }
    }
  }
}
