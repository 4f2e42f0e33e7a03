import { apiError, retryAfter } from '../http/errors/api-error.js';
import { EXIT_CODE, operatorError } from '../process/operator-error.js';
import { allows, type Scope } from './scopes.js';

/**
 * The request has no `Authorization` header, or the header has no key.
 *
 * Send the key in that header. The command `key create` creates one.
 */
export class MissingApiKeyError extends apiError(
  401,
  'missing_api_key',
  'The request has no API key. Send one in the header Authorization: Bearer <API_KEY>.',
  // RFC 6750, section 3.
  { name: 'missing_api_key', headers: { 'WWW-Authenticate': 'Bearer' } },
) {}

/**
 * The key is valid but lacks the scope that the operation requires.
 *
 * Use a key with that scope. In [openapi.json](../openapi.json), the description of each operation ends with the scope.
 */
export class RestrictedApiKeyError extends apiError(
  401,
  'restricted_api_key',
  (needed: string) => `This API key lacks the scope ${needed}.`,
  {
    name: 'restricted_api_key',
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    example: ['suppressions:write'],
  },
) {}

/** @throws {RestrictedApiKeyError} */
export function requireScope(held: readonly Scope[], needed: Scope): void {
  if (!allows(held, needed)) {
    throw new RestrictedApiKeyError(needed);
  }
}

/**
 * The key is unknown, revoked, or expired, or the scheme is not `Bearer`.
 *
 * The command `key list` shows the prefix, the expiry, and the revocation of each key. `key create` creates a new one.
 */
export class InvalidApiKeyError extends apiError(
  403,
  'invalid_api_key',
  'The API key is unknown, revoked or expired, or was not sent as Authorization: Bearer <API_KEY>.',
  { name: 'invalid_api_key' },
) {}

/**
 * The key is valid, but its account is suspended or not yet admitted.
 *
 * The operator admits an account with the command `account admit <name>`.
 */
export class BetaAccessRequiredError extends apiError(
  403,
  'beta_access_required',
  'This account is suspended, or not yet admitted to the private beta. Ask the operator of this service to admit it.',
  { name: 'restricted_api_key' },
) {}

/**
 * More than 100 requests from this address had an invalid API key within the last minute.
 *
 * Valid keys keep working meanwhile. IPv6 addresses are counted by their first 64 bits. Behind a proxy on a private network,
 * the limit applies only if `TRUST_PROXY` names the proxy.
 */
export class TooManyFailedAttemptsError extends apiError(
  429,
  'too_many_failed_attempts',
  'Too many requests from this address had an invalid API key. Try again after the seconds in Retry-After.',
  { headers: retryAfter, example: [60] },
) {}

export class InvalidApiKeyNameError extends operatorError(
  EXIT_CODE.wrongUsage,
  () =>
    'The name of an API key must have 1 to 100 characters, not only spaces, without control characters, line breaks or invisible characters.',
) {}

export class ApiKeyNotFoundError extends operatorError(
  EXIT_CODE.notFound,
  (id: string) => `No active API key has the id ${id}.`,
) {}

export class ApiKeyRotatedError extends operatorError(
  EXIT_CODE.existsAlready,
  (id: string, successorId: string) =>
    `The API key ${id} was already rotated. Its successor is ${successorId}.`,
) {
  /** @param keyName - the name of both keys */
  constructor(
    readonly id: string,
    readonly successorId: string,
    readonly keyName: string,
  ) {
    super(id, successorId);
  }
}
