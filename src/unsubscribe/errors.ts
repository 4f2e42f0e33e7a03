import { apiError, retryAfter } from '../http/errors/api-error.js';

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
