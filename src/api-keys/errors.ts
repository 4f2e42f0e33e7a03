import { ApiError } from '../http/api-error.js';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';
import type { Scope } from './scopes.js';

export class MissingApiKeyError extends ApiError {
  readonly statusCode = 401;
  override readonly name = 'missing_api_key';
  /** RFC 6750, section 3. */
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };

  constructor() {
    super('There is no API key in the request. Send it in the header Authorization: Bearer <API_KEY>.');
  }

  static example(): MissingApiKeyError {
    return new MissingApiKeyError();
  }
}

/** Resend answers a key without the scope with this name and status. */
export class RestrictedApiKeyError extends ApiError {
  readonly statusCode = 401;
  override readonly name = 'restricted_api_key';
  override readonly headers = { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' };

  constructor(needed: Scope) {
    super(`This API key lacks the scope ${needed}.`);
  }

  static example(): RestrictedApiKeyError {
    return new RestrictedApiKeyError('suppressions:write');
  }
}

export class InvalidApiKeyError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'invalid_api_key';

  constructor() {
    super('The API key is unknown, revoked or expired, or was not sent as Authorization: Bearer <API_KEY>.');
  }

  static example(): InvalidApiKeyError {
    return new InvalidApiKeyError();
  }
}

export class BetaAccessRequiredError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'beta_access_required';

  constructor() {
    super('This account is not admitted to the private beta. Ask whoever runs this service to admit it.');
  }

  static example(): BetaAccessRequiredError {
    return new BetaAccessRequiredError();
  }
}

/** A name that no key can have. */
export class InvalidApiKeyNameError extends OperatorError {
  override readonly name = 'InvalidApiKeyNameError';
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor() {
    super(
      'The name of an API key has 1 to 100 characters, and no control characters, line breaks or invisible ones.',
    );
  }
}

/** There is no key with that id, or it is revoked already. For commands; on the wire nobody asks for keys. */
export class ApiKeyNotFoundError extends OperatorError {
  override readonly name = 'ApiKeyNotFoundError';
  override readonly exitCode = EXIT_CODE.notFound;

  constructor(id: string) {
    super(`There is no API key ${id} that still works. "key list" shows those there are.`);
  }
}

/** The key was rotated: what comes next is made from its successor. */
export class ApiKeyRotatedError extends OperatorError {
  override readonly name = 'ApiKeyRotatedError';
  override readonly exitCode = EXIT_CODE.existsAlready;

  constructor(id: string, successorId: string) {
    super(`The API key ${id} was rotated already. Its successor is ${successorId}.`);
  }
}
