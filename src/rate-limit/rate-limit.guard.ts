import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { AuthenticatedRequest } from '../api-keys/caller.js';
import { RateLimitExceededError } from '../http/errors.js';

const WINDOW_SECONDS = 1;

/** Limits the requests per second of each account in this instance. It runs after the API key guard. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limiter: RateLimiterMemory;

  constructor(private readonly limit: number) {
    this.limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (caller) {
      const state = await this.consume(caller.accountId);
      this.setHeaders(context.switchToHttp().getResponse<Response>(), state);
      if (state.consumedPoints > this.limit) {
        throw new RateLimitExceededError(secondsToReset(state));
      }
    }
    return true;
  }

  /** If the limit is exceeded, the library rejects with the same object that it otherwise resolves with. */
  private consume(accountId: number): Promise<RateLimiterRes> {
    return this.limiter.consume(accountId).catch((state: unknown) => {
      if (state instanceof RateLimiterRes) {
        return state;
      }
      throw state;
    });
  }

  private setHeaders(response: Response, state: RateLimiterRes): void {
    response.set({
      'ratelimit-limit': String(this.limit),
      'ratelimit-remaining': String(state.remainingPoints),
      'ratelimit-reset': String(secondsToReset(state)),
    });
  }
}

function secondsToReset({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
