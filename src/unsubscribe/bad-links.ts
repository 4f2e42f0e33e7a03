import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { apiError, retryAfter } from '../http/errors/api-error.js';

const MAX_PER_WINDOW = 60;
const WINDOW_SECONDS = 60;

/**
 * A client opened more than 60 unsubscribe links that do not exist within a minute.
 *
 * Recipients see a page, not this body. Links that exist keep working for the same client.
 */
export class TooManyBadLinksError extends apiError(
  429,
  'too_many_bad_links',
  'Too many links from this network did not exist. Try again after the seconds in Retry-After.',
  { headers: retryAfter, example: [30] },
) {}

/** Counts the links that do not exist, by client network. */
export class BadLinks {
  private readonly limiter = new RateLimiterMemory({ points: MAX_PER_WINDOW, duration: WINDOW_SECONDS });

  /**
   * @param network - undefined if it is unknown, as behind a proxy that is not trusted: then there is no limit
   * @throws {TooManyBadLinksError}
   */
  async count(network: string | undefined): Promise<void> {
    if (network !== undefined) {
      await this.limiter.consume(network).catch((refused: unknown) => {
        throw refused instanceof RateLimiterRes
          ? new TooManyBadLinksError(Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)))
          : refused;
      });
    }
  }
}
