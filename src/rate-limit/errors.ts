import { ApiError } from '../http/api-error.js';

/** The account has used up its requests for this second. */
export class RateLimitExceededError extends ApiError {
  readonly statusCode = 429;
  override readonly name = 'rate_limit_exceeded';
  readonly code = 'rate_limit_exceeded';
  override readonly headers: Readonly<Record<string, string>>;

  /** @param retryAfterSeconds - when the account may send requests again */
  constructor(retryAfterSeconds: number) {
    super(
      'This account has used up its requests for this second. Try again after the seconds in Retry-After.',
    );
    this.headers = { 'retry-after': String(retryAfterSeconds) };
  }

  static example(): RateLimitExceededError {
    return new RateLimitExceededError(1);
  }
}
