import { Injectable } from '@nestjs/common';
import { FailureLimit } from '../../http/server/failure-limit.js';
import { IdentityProviderError, SignInLinkError, TooManySignInsError } from '../people/errors.js';

const MAX_FAILURES = 10;

/** Counts failed sign-ins by the network that they came from. */
@Injectable()
export class SignInAttempts {
  private readonly failures = new FailureLimit(MAX_FAILURES, TooManySignInsError);

  /**
   * @param network - undefined if a proxy hides it; then nothing is limited
   * @throws {TooManySignInsError} if ten sign-ins from the network failed or began within the last minute
   */
  async limit<Result>(network: string | undefined, signIn: () => Promise<Result>): Promise<Result> {
    let hasFailed = false;
    try {
      await this.failures.count(network);
      return await signIn();
    } catch (error) {
      hasFailed = error instanceof SignInLinkError || error instanceof IdentityProviderError;
      throw error;
    } finally {
      if (!hasFailed) {
        await this.failures.uncount(network);
      }
    }
  }
}
