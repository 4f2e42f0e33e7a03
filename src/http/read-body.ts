import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from './api-error.js';
import { PayloadTooLargeError, UnsupportedMediaTypeError, ValidationError } from './errors.js';

/** Enough for a thousand of the longest addresses, and for any event of a provider. */
export const BODY_LIMIT_OCTETS = 1024 * 1024;

/** Whether there is one (RFC 9112, section 6.3). */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/**
 * Reads a body with one of Express's parsers. One that says it is too large is refused unread: a parser waits for all of it.
 *
 * @throws {PayloadTooLargeError} when it is larger than {@link BODY_LIMIT_OCTETS}
 * @throws {UnsupportedMediaTypeError} when its charset or encoding is unknown
 * @throws {ValidationError} when it cannot be read
 */
export async function readBody(parser: RequestHandler, request: Request, response: Response): Promise<void> {
  if (Number(request.headers['content-length']) > BODY_LIMIT_OCTETS) {
    throw new PayloadTooLargeError();
  }
  await new Promise<void>((resolve, reject) => {
    void parser(request, response, (error?: unknown) => (error ? reject(toApiError(error)) : resolve()));
  });
  // Where the caller has gone, a parser reads nothing and says nothing.
  if (request.body === undefined) {
    throw ValidationError.ofRequest('The body did not arrive as a whole.');
  }
}

/** Of what the parsers of Express refuse. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  switch ((error as { status?: unknown }).status) {
    case 413:
      return new PayloadTooLargeError();
    case 415:
      return new UnsupportedMediaTypeError();
    default:
      return ValidationError.ofRequest(
        error instanceof SyntaxError
          ? 'The body is not a JSON object or array.'
          : 'The body cannot be read: check its Content-Length and its Content-Encoding.',
      );
  }
}
