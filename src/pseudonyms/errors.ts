import { apiError, retryAfter } from '../http/errors/api-error.js';

const RETRY_SOON = retryAfter(5);

/**
 * The account has erased addresses whose blocks it keeps, and the key that recognizes them cannot be read: SECRETS_KEY is not
 * the one that encrypted it. So it is unknown whether an address that is not on the list is one of them.
 *
 * Nothing was changed. Restore the SECRETS_KEY of the service.
 */
export class KeptBlocksUnreadableError extends apiError(
  503,
  'kept_blocks_unreadable',
  'It is unknown whether the address was erased and its block kept: the key of the account cannot be read with this SECRETS_KEY.',
  { headers: RETRY_SOON },
) {}

/**
 * The address is being erased, and its block is kept or was kept before. Checks and other reads work meanwhile.
 *
 * Nothing was changed. Try again in half a minute.
 */
export class AddressBeingErasedError extends apiError(
  503,
  'address_being_erased',
  'One of the addresses is being erased. Nothing was changed. Try again in half a minute.',
  { headers: RETRY_SOON },
) {}
