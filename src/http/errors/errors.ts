import { apiError, retryAfter, type DocumentedError } from './api-error.js';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from './body-errors.js';
import type { FieldError } from './error-body.js';

const MAX_FIELDS_IN_MESSAGE = 3;
const RETRY_SOON = retryAfter(1);

/**
 * The request is invalid: a field, a parameter, the path, or the JSON itself.
 *
 * Nothing was changed. `errors` lists every invalid field; elements of arrays have their index. Correct the request; an
 * unchanged retry fails again. Bytes that are not an HTTP request get the same response.
 */
export class ValidationError extends apiError(400, 'validation_error', (message: string) => message) {
  private constructor(
    message: string,
    override readonly errors?: FieldError[],
  ) {
    super(message);
  }

  static ofFields(errors: FieldError[]): ValidationError {
    const named = errors
      .slice(0, MAX_FIELDS_IN_MESSAGE)
      .map(({ path, message }) => `${path || '""'} ${message}`);
    const others = errors.length - named.length;
    const rest = others > 0 ? `; and ${others} more (see errors)` : '';
    return new ValidationError(`${named.join('; ')}${rest}.`, errors);
  }

  static ofField(path: string, message: string): ValidationError {
    return ValidationError.ofFields([{ path, message }]);
  }

  static ofRequest(message: string): ValidationError {
    return new ValidationError(message);
  }

  static override example(): ValidationError {
    return ValidationError.ofField('emails[1]', 'must contain an @');
  }

  /** The same error with another example, for the documentation of an operation that has no `emails`. */
  static withExample(path: string, message: string): DocumentedError {
    return { example: () => ValidationError.ofField(path, message) };
  }
}

/**
 * The path does not exist. The status is 400 if the path is one of ours below a prefix, such as `/v1/suppressions`, or if it
 * lacks the address or an id.
 *
 * Check the base URL of the client and the path; with 400, the message names the right URL, or says that an id is empty. If an
 * address in a path begins with a slash, or contains `suppressions/` or `contacts/`, send its slashes as `%2F`. The name is not
 * `not_found`, and the status of the usual mistakes is 400, so that clients do not mistake a wrong URL for "this address is not
 * suppressed".
 */
export class RouteNotFoundError extends apiError(
  404,
  'route_not_found',
  (hint: string = 'See /docs for the API.') =>
    `This path does not exist, so the response says nothing about any address. ${hint}`,
  { name: 'validation_error' },
) {
  override readonly statusCode: 400 | 404;

  constructor(hint?: string) {
    super(hint);
    this.statusCode = hint ? 400 : 404;
  }

  static ofEmptyAddress(): RouteNotFoundError {
    return new RouteNotFoundError('The address is empty, or begins with a slash, which must be sent as %2F.');
  }
}

/** The path exists, but does not support this method. The `Allow` header lists the supported methods. */
export class MethodNotAllowedError extends apiError(
  405,
  'method_not_allowed',
  (allowed: string[]) => `This path supports only ${allowed.join(', ')}.`,
  { headers: (allowed) => ({ Allow: allowed.join(', ') }), example: [['POST']] },
) {}

/**
 * A request with HTTP/1.0 asked for a file.
 *
 * The end of an HTTP/1.0 response is the end of the connection, so neither a proxy nor a client would notice that the file was
 * cut. Usually a proxy changed the version: nginx before 1.29.7 uses HTTP/1.0 unless `proxy_http_version 1.1;` is set.
 */
export class HttpVersionError extends apiError(
  426,
  'http_version_too_old',
  'Use HTTP/1.1: with HTTP/1.0, a file that breaks off looks complete. In nginx, set proxy_http_version 1.1.',
  // RFC 9110, section 15.5.22.
  { headers: { Upgrade: 'HTTP/1.1', Connection: 'Upgrade, close' } },
) {}

/**
 * The account has reached its rate limit. This error occurs only if `RATE_LIMIT` is set.
 *
 * Wait for the seconds in `Retry-After`. The headers `ratelimit-limit`, `ratelimit-remaining` and `ratelimit-reset` of every
 * response show the state of the limit.
 */
export class RateLimitExceededError extends apiError(
  429,
  'rate_limit_exceeded',
  'This account has reached its rate limit. Try again after the number of seconds in the header Retry-After.',
  { headers: retryAfter, example: [1] },
) {}

/**
 * The account already has 4 scrubs, or 50 exports, uploads, or other downloads, in the instance that received the request.
 *
 * Nothing was read or changed. Wait until one of the other requests ends.
 */
export class TooManyOpenRequestsError extends apiError(
  429,
  'too_many_open_requests',
  (limit: number) =>
    `This account already has ${limit} such requests that have not ended. Try again when one has.`,
  { headers: RETRY_SOON, example: [4] },
) {}

/**
 * The result is unknown, because the database is unreachable or too slow.
 *
 * For a check, this means that it is unknown whether the address may be mailed. Retry after the seconds in `Retry-After`. If
 * the connection to the database broke during a write, the write may have happened. You can safely repeat it; give events an
 * `occurred_at` or an `Idempotency-Key`. If there is another cause, the message names it: a body that arrived too slowly, too
 * many bodies that are still arriving, too many responses that were not read, more than 1,000 waiting requests in the instance
 * or 900 of the account, or a secret that was encrypted with another `SECRETS_KEY`, about which the log says more.
 */
export class ServiceUnavailableError extends apiError(
  503,
  'service_unavailable',
  (message: string = 'The database is unreachable or too slow. Try again in a moment.') => message,
  { headers: RETRY_SOON },
) {}

/**
 * An unexpected error. This is a bug in the service.
 *
 * Report it with the `X-Request-Id` header of the response: the log has the same id.
 */
export class InternalServerError extends apiError(
  500,
  'internal_server_error',
  'Something went wrong on our side. The log has details under the id in the X-Request-Id header.',
) {}

/** The errors of every operation that needs an API key. Operations with other invalid input replace the first one. */
export const COMMON_ERRORS = [
  ValidationError.withExample('verbose', 'is not a query parameter'),
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  RateLimitExceededError,
  InternalServerError,
  ServiceUnavailableError,
];
