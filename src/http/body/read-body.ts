import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../errors/api-error.js';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../errors/body-errors.js';
import { ValidationError } from '../errors/errors.js';
import { MEBIBYTE } from '../route-options.js';
import { readArriving } from './arriving-bodies.js';

/** Whether a request has a body (RFC 9112, section 6.3). */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/**
 * Reads a body with one of Express's parsers, which is created with the same limit. A body that declares a larger size is
 * refused unread, because the parser would wait for all of it.
 *
 * @throws {PayloadTooLargeError} if the body is larger than `limitBytes`
 * @throws {ServiceUnavailableError} if too many bodies of the account are still arriving
 * @throws {UnsupportedMediaTypeError} if its charset or content encoding is unknown
 * @throws {ValidationError} if it cannot be parsed
 */
export async function readBody(
  parser: RequestHandler,
  request: Request,
  response: Response,
  limitBytes = MEBIBYTE,
): Promise<void> {
  if (Number(request.headers['content-length']) > limitBytes) {
    throw new PayloadTooLargeError(limitBytes);
  }
  await readArriving(
    request,
    () =>
      new Promise<void>((resolve, reject) => {
        void parser(request, response, (error?: unknown) =>
          error ? reject(toApiError(error, limitBytes)) : resolve(),
        );
      }),
  );
  // If the caller has disconnected, the parser succeeds without a body.
  if (request.body === undefined) {
    throw ValidationError.ofRequest('The body did not arrive completely.');
  }
}

/** Translates the errors of Express's parsers. */
function toApiError(error: unknown, limitBytes: number): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  switch ((error as { status?: unknown }).status) {
    case 413:
      return new PayloadTooLargeError(limitBytes);
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
