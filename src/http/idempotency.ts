import { ApiHeader } from '@nestjs/swagger';
import { apiError } from './errors/api-error.js';

const MAX_KEY_LENGTH = 256;

/**
 * The `Idempotency-Key` header is empty, longer than 256 characters, or not valid text.
 *
 * Use any text that is unique to the request, such as a UUID.
 */
export class InvalidIdempotencyKeyError extends apiError(
  400,
  'invalid_idempotency_key',
  'The Idempotency-Key must have 1 to 256 characters.',
  { name: 'invalid_idempotency_key' },
) {}

/**
 * The same `Idempotency-Key` was sent with a different body: to `POST /events` within two days, or to `POST /imports` within 90
 * days after that import has ended. At `POST /imports`, the parameters must be the same, too.
 *
 * Nothing was changed. Retry with the same key and the same request, or use a new key for a different request.
 */
export class IdempotencyConflictError extends apiError(
  409,
  'invalid_idempotent_request',
  'This Idempotency-Key was used with another body or other parameters. Send the same request, or another key.',
  { name: 'invalid_idempotent_request' },
) {}

/** Documents the header. */
export function ApiIdempotencyKey(description: string): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    description: `${description} 1 to ${MAX_KEY_LENGTH} characters.`,
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
  });
}

/** @throws {InvalidIdempotencyKeyError} if there is a header, but it has no key */
export function checkIdempotencyKey(key: string | undefined): void {
  const isValid = (text: string) =>
    text.length >= 1 && text.length <= MAX_KEY_LENGTH && text.isWellFormed() && !text.includes('\0');
  if (key !== undefined && !isValid(key)) {
    throw new InvalidIdempotencyKeyError();
  }
}
