import { ApiError } from '../http/api-error.js';

/** The account has had its requests of this second. */
export class RateLimitExceededError extends ApiError {
  readonly statusCode = 429;
  override readonly name = 'rate_limit_exceeded';
  override readonly headers: Readonly<Record<string, string>>;

  /** @param retryAfterSeconds - when the account has requests again */
  constructor(retryAfterSeconds: number) {
    super('This account has made all its requests of this second. Try again after the time in Retry-After.');
    this.headers = { 'retry-after': String(retryAfterSeconds) };
  }

  static example(): RateLimitExceededError {
    return new RateLimitExceededError(1);
  }
}
