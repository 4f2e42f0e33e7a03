import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { AuthenticatedRequest } from '../api-keys/caller.js';
import { RateLimitExceededError } from './errors.js';

const WINDOW_SECONDS = 1;

/** Lets through so many requests a second of each account, counted in this instance. Stands behind the key's guard. */
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
      this.tell(context.switchToHttp().getResponse<Response>(), state);
      if (state.consumedPoints > this.limit) {
        throw new RateLimitExceededError(secondsToReset(state));
      }
    }
    return true;
  }

  /** The library rejects with the same object that it resolves with, when the limit is exceeded. */
  private consume(accountId: number): Promise<RateLimiterRes> {
    return this.limiter.consume(accountId).catch((state: unknown) => {
      if (state instanceof RateLimiterRes) {
        return state;
      }
      throw state;
    });
  }

  private tell(response: Response, state: RateLimiterRes): void {
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
