import { ApiError } from '../http/errors/api-error.js';

/** The Resend API has the same error. */
export class InvalidIdempotencyKeyError extends ApiError {
  readonly statusCode = 400;
  override readonly name = 'invalid_idempotency_key';
  readonly code = 'invalid_idempotency_key';

  constructor() {
    super('The Idempotency-Key must have 1 to 256 characters.');
  }

  static example(): InvalidIdempotencyKeyError {
    return new InvalidIdempotencyKeyError();
  }
}

/** The same Idempotency-Key with other events. The Resend API has the same error. */
export class IdempotencyConflictError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'invalid_idempotent_request';
  readonly code = 'invalid_idempotent_request';

  constructor() {
    super('This Idempotency-Key was used with another body. Send the same body, or another key.');
  }

  static example(): IdempotencyConflictError {
    return new IdempotencyConflictError();
  }
}
