import { ApiError, type ApiErrorClass } from './api-error.js';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from './body-errors.js';
import type { FieldError } from './error-body.js';

const MAX_FIELDS_IN_MESSAGE = 3;
const RETRY_AFTER_SECONDS = 1;

export class ValidationError extends ApiError {
  readonly statusCode = 400;
  override readonly name = 'validation_error';
  readonly code = 'validation_error';

  private constructor(
    message: string,
    override readonly errors?: FieldError[],
  ) {
    super(message);
  }

  static ofFields(errors: FieldError[]): ValidationError {
    const named = errors.slice(0, MAX_FIELDS_IN_MESSAGE).map(({ path, message }) => `${path} ${message}`);
    const others = errors.length - named.length;
    const rest = others > 0 ? `; and ${others} more (see errors)` : '';
    return new ValidationError(`${named.join('; ')}${rest}.`, errors);
  }

  static ofRequest(message: string): ValidationError {
    return new ValidationError(message);
  }

  static example(): ValidationError {
    return ValidationError.ofFields([{ path: 'emails[1]', message: 'must contain an @' }]);
  }

  /** The same error with another example, for the documentation of an operation that has no `emails`. */
  static withExample(path: string, message: string): ApiErrorClass {
    return { example: () => ValidationError.ofFields([{ path, message }]) };
  }
}

/** 400 if the caller probably meant a path of ours: some clients take any 404 to mean that an address is not suppressed. */
export class RouteNotFoundError extends ApiError {
  readonly statusCode: 400 | 404;
  override readonly name = 'validation_error';
  readonly code = 'route_not_found';

  constructor(hint?: string) {
    super(
      `This path does not exist, so the response says nothing about any address. ${hint ?? 'See /docs for the API.'}`,
    );
    this.statusCode = hint ? 400 : 404;
  }

  static belowPrefix(prefix: string, url: string): RouteNotFoundError {
    return new RouteNotFoundError(
      `The right URL has no ${prefix}: ${url}. Check the base URL of the client.`,
    );
  }

  static ofEmptyAddress(): RouteNotFoundError {
    return new RouteNotFoundError('The address is empty, or begins with a slash, which must be sent as %2F.');
  }

  static example(): RouteNotFoundError {
    return new RouteNotFoundError();
  }
}

export class MethodNotAllowedError extends ApiError {
  readonly statusCode = 405;
  override readonly name = 'method_not_allowed';
  readonly code = 'method_not_allowed';
  override readonly headers: Readonly<Record<string, string>>;

  /** @param allowed - the methods that the path supports */
  constructor(allowed: string[]) {
    super(`This path supports only ${allowed.join(', ')}.`);
    this.headers = { Allow: allowed.join(', ') };
  }

  static example(): MethodNotAllowedError {
    return new MethodNotAllowedError(['POST']);
  }
}

/** RFC 9110, section 15.5.22. */
export class HttpVersionError extends ApiError {
  readonly statusCode = 426;
  override readonly name = 'validation_error';
  readonly code = 'http_version_too_old';
  override readonly headers = { Upgrade: 'HTTP/1.1', Connection: 'Upgrade, close' };

  constructor() {
    super(
      'Use HTTP/1.1: with HTTP/1.0, a file that breaks off looks complete. In nginx, set proxy_http_version 1.1.',
    );
  }

  static example(): HttpVersionError {
    return new HttpVersionError();
  }
}

/** The account has reached its rate limit. */
export class RateLimitExceededError extends ApiError {
  readonly statusCode = 429;
  override readonly name = 'rate_limit_exceeded';
  readonly code = 'rate_limit_exceeded';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds: number) {
    super(
      'This account has reached its rate limit. Try again after the number of seconds in the header Retry-After.',
    );
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }

  static example(): RateLimitExceededError {
    return new RateLimitExceededError(1);
  }
}

export class TooManyOpenRequestsError extends ApiError {
  readonly statusCode = 429;
  override readonly name = 'rate_limit_exceeded';
  readonly code = 'too_many_open_requests';
  override readonly headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

  /** @param limit - how many the account may have at once */
  constructor(limit: number) {
    super(`This account already has ${limit} such requests that have not ended. Try again when one has.`);
  }

  static example(): TooManyOpenRequestsError {
    return new TooManyOpenRequestsError(4);
  }
}

/** The result is unknown because the database is unreachable or too slow. Callers must not conclude anything from it. */
export class ServiceUnavailableError extends ApiError {
  readonly statusCode = 503;
  override readonly name = 'application_error';
  readonly code = 'service_unavailable';
  override readonly headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

  constructor(message = 'The database is unreachable or too slow. Try again in a moment.') {
    super(message);
  }

  static example(): ServiceUnavailableError {
    return new ServiceUnavailableError();
  }
}

export class InternalServerError extends ApiError {
  readonly statusCode = 500;
  override readonly name = 'internal_server_error';
  readonly code = 'internal_server_error';

  constructor() {
    super('Something went wrong on our side. The log has details under the id in the X-Request-Id header.');
  }

  static example(): InternalServerError {
    return new InternalServerError();
  }
}

/** The errors of every operation that needs an API key. Operations with other invalid input replace the first one. */
export const COMMON_ERRORS = [
  ValidationError.withExample('verbose', 'is unknown'),
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  RateLimitExceededError,
  InternalServerError,
  ServiceUnavailableError,
];
