import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TooManyBadLinksError } from './errors.js';

const MAX_PER_WINDOW = 60;
const WINDOW_SECONDS = 60;

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
