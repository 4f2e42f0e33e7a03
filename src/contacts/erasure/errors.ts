import { apiError, retryAfter } from '../../http/errors/api-error.js';

/**
 * The address is suppressed, blocked by a rule for it alone, or opted out of a topic. After a complete erasure, no
 * record would remain that it must not be mailed.
 *
 * Nothing was erased. If the owner of the address insists, repeat the request with `accept_may_be_mailed_again: true`.
 */
export class MayBeMailedAgainError extends apiError(
  409,
  'erasure_ends_suppression',
  'The address must not be mailed, and no record of this would remain. Nothing was erased. ' +
    'To erase it nevertheless, send accept_may_be_mailed_again: true.',
) {}

/**
 * Another erasure of this address is running: with another `reference`, or another `keep_block`.
 *
 * Nothing was changed, and the other erasure goes on. Repeat the request when it has ended, after seconds or minutes.
 */
export class ErasureInProgressError extends apiError(
  409,
  'erasure_in_progress',
  'Another erasure of this address is running. Repeat the request when it has ended.',
  { headers: retryAfter(5) },
) {}

/**
 * The account has no erasure with this id. An erasure that was refused because the address had been
 * suppressed in the meantime is deleted.
 *
 * The audit log has the ids of all erasures.
 */
export class ErasureNotFoundError extends apiError(
  404,
  'erasure_not_found',
  'The account has no erasure with this id. It may have been refused, because the address was suppressed meanwhile.',
) {}
