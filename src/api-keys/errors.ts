import { ApiError, type ApiErrorClass } from '../http/errors/api-error.js';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';

export class MissingApiKeyError extends ApiError {
  readonly statusCode = 401;
  override readonly name = 'missing_api_key';
  readonly code = 'missing_api_key';
  /** RFC 6750, section 3. */
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };

  constructor() {
    super('The request has no API key. Send one in the header Authorization: Bearer <API_KEY>.');
  }

  static example(): MissingApiKeyError {
    return new MissingApiKeyError();
  }
}

/** Name and status are those of the Resend API. */
export class RestrictedApiKeyError extends ApiError {
  readonly statusCode = 401;
  override readonly name = 'restricted_api_key';
  readonly code = 'restricted_api_key';
  override readonly headers = { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' };

  constructor(needed: string) {
    super(`This API key lacks the scope ${needed}.`);
  }

  static example(): RestrictedApiKeyError {
    return new RestrictedApiKeyError('suppressions:write');
  }

  static withScope(scope: string): ApiErrorClass {
    return { example: () => new RestrictedApiKeyError(scope) };
  }
}

export class InvalidApiKeyError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'invalid_api_key';
  readonly code = 'invalid_api_key';

  constructor() {
    super('The API key is unknown, revoked or expired, or was not sent as Authorization: Bearer <API_KEY>.');
  }

  static example(): InvalidApiKeyError {
    return new InvalidApiKeyError();
  }
}

export class BetaAccessRequiredError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'restricted_api_key';
  readonly code = 'beta_access_required';

  constructor() {
    super('This account is not admitted to the private beta. Ask the operator of this service to admit it.');
  }

  static example(): BetaAccessRequiredError {
    return new BetaAccessRequiredError();
  }
}

export class TooManyFailedAttemptsError extends ApiError {
  readonly statusCode = 429;
  override readonly name = 'rate_limit_exceeded';
  readonly code = 'too_many_failed_attempts';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds: number) {
    super(
      'Too many requests from this address had an invalid API key. Try again after the seconds in Retry-After.',
    );
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }

  static example(): TooManyFailedAttemptsError {
    return new TooManyFailedAttemptsError(60);
  }
}

export class InvalidApiKeyNameError extends OperatorError {
  override readonly name = 'InvalidApiKeyNameError';
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor() {
    super(
      'The name of an API key must have 1 to 100 characters, without control characters, line breaks or invisible characters.',
    );
  }
}

export class ApiKeyNotFoundError extends OperatorError {
  override readonly name = 'ApiKeyNotFoundError';
  override readonly exitCode = EXIT_CODE.notFound;

  constructor(id: string) {
    super(`No active API key has the id ${id}.`);
  }
}

/** The key was already rotated; only its successor can be rotated again. */
export class ApiKeyRotatedError extends OperatorError {
  override readonly name = 'ApiKeyRotatedError';
  override readonly exitCode = EXIT_CODE.existsAlready;

  constructor(id: string, successorId: string) {
    super(`The API key ${id} was already rotated. Its successor is ${successorId}.`);
  }
}
