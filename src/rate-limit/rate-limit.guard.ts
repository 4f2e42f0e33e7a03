import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimitExceededError } from '../http/errors/errors.js';
import type { IdentifiedRequest } from '../http/requests/identified-request.js';

const WINDOW_SECONDS = 1;

/**
 * Limits the requests per second of each account in this instance, those of its API keys and those of its console apart, so
 * that a busy key keeps nobody out of the console. It runs after the guards that identify who sent a request.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limiter: RateLimiterMemory;

  constructor(private readonly limit: number) {
    this.limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, visitor } = context.switchToHttp().getRequest<IdentifiedRequest>();
    const key = caller?.accountId ?? (visitor && `console ${visitor.accountId}`);
    if (key !== undefined) {
      const state = await this.consume(key);
      this.setHeaders(context.switchToHttp().getResponse<Response>(), state);
      if (state.consumedPoints > this.limit) {
        throw new RateLimitExceededError(secondsToReset(state));
      }
    }
    return true;
  }

  /** If the limit is exceeded, the library rejects with the same object that it otherwise resolves with. */
  private consume(key: number | string): Promise<RateLimiterRes> {
    return this.limiter.consume(key).catch((state: unknown) => {
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
