import { ApiError } from '../http/errors/api-error.js';

/** The client has tried too many links that do not exist. Links that exist keep working. */
export class TooManyBadLinksError extends ApiError {
  readonly statusCode = 429;
  override readonly name = 'rate_limit_exceeded';
  readonly code = 'too_many_bad_links';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds: number) {
    super('Too many links from this network did not exist. Try again after the seconds in Retry-After.');
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }

  static example(): TooManyBadLinksError {
    return new TooManyBadLinksError(30);
  }
}
