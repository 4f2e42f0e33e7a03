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
  private readonly limiter: RateLimiterMemory | undefined;

  /** @param limit - requests per second and account; undefined for no limit */
  constructor(limit: number | undefined) {
    this.limiter =
      limit === undefined ? undefined : new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { caller, visitor } = context.switchToHttp().getRequest<IdentifiedRequest>();
    const key = caller?.accountId ?? (visitor && `console ${visitor.accountId}`);
    return key === undefined || !this.limiter || admit(this.limiter, key, context);
  }
}

async function admit(
  limiter: RateLimiterMemory,
  key: number | string,
  context: ExecutionContext,
): Promise<boolean> {
  const state = await consume(limiter, key);
  context
    .switchToHttp()
    .getResponse<Response>()
    .set({
      'ratelimit-limit': String(limiter.points),
      'ratelimit-remaining': String(state.remainingPoints),
      'ratelimit-reset': String(secondsToReset(state)),
    });
  if (state.consumedPoints > limiter.points) {
    throw new RateLimitExceededError(secondsToReset(state));
  }
  return true;
}

/** If the limit is exceeded, the library rejects with the same object that it otherwise resolves with. */
function consume(limiter: RateLimiterMemory, key: number | string): Promise<RateLimiterRes> {
  return limiter.consume(key).catch((state: unknown) => {
    if (state instanceof RateLimiterRes) {
      return state;
    }
    throw state;
  });
}

function secondsToReset({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
