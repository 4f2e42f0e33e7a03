import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, urlencoded, type Request, type RequestHandler, type Response } from 'express';
import { problemWithJson } from '../../validation/json-limits.js';
import { ApiError } from '../errors/api-error.js';
import { FormTypeError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../errors/body-errors.js';
import { ValidationError } from '../errors/errors.js';
import { readArriving } from '../requests/senders.js';
import { MEBIBYTE } from '../route.js';

/** Whether a request has a body (RFC 9112, section 6.3). */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/**
 * Reads a body with one of Express's parsers, which was created with the same limit. A body that declares a larger size is
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
      return error instanceof SyntaxError
        ? notJson(error)
        : ValidationError.ofRequest(
            'The body cannot be read: check its Content-Length and its Content-Encoding.',
          );
  }
}

/** Says where the body stops being JSON, if V8 says so before it quotes the body, which can contain anything. */
function notJson(error: unknown): ValidationError {
  const [, place] = /^[^"]*( at position \d+)/.exec((error as SyntaxError).message) ?? [];
  return ValidationError.ofRequest(
    place ? `The body is not valid JSON${place}.` : 'The body is not a JSON object or array.',
  );
}

/** Parsing and validating a body within these limits holds the event loop for a few milliseconds at most. */
const JSON_LIMITS = { depth: 32, values: 10_000, mayRepeatNames: false };

const parseJsonBody = json({ limit: MEBIBYTE, verify: requireSafeJson });
const parseForm = urlencoded({ limit: MEBIBYTE, extended: false });

/**
 * Reads a JSON body into `request.body`.
 *
 * @throws {UnsupportedMediaTypeError} if the body does not declare itself as JSON in UTF-8
 * @throws {PayloadTooLargeError} if it is larger than 1 MiB
 * @throws {ValidationError} if it is not UTF-8 or cannot be parsed, is too deep, has too many values, or has a name twice
 *   in one object
 */
export async function readJson(request: Request, response: Response): Promise<void> {
  if (!request.is('json')) {
    throw new UnsupportedMediaTypeError();
  }
  await readBody(parseJsonBody, request, response);
}

/** Another charset than that of JSON (RFC 8259, section 8.1) would hide brackets and commas from the check. */
function requireSafeJson(
  _request: IncomingMessage,
  _response: ServerResponse,
  body: Buffer,
  charset: string,
): void {
  if (charset !== 'utf-8') {
    throw new UnsupportedMediaTypeError();
  }
  requireWithinLimits(body);
}

function requireWithinLimits(body: Buffer): void {
  if (!isUtf8(body)) {
    throw ValidationError.ofRequest('The body is not UTF-8: encode it in UTF-8.');
  }
  const problem = problemWithJson(body, JSON_LIMITS);
  if (problem) {
    throw ValidationError.ofRequest(`The body ${problem}.`);
  }
}

/**
 * Parses a body that the route itself has read, within the limits of {@link readJson}.
 *
 * @throws {ValidationError}
 */
export function parseJson(body: Buffer): unknown {
  requireWithinLimits(body);
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw notJson(error);
  }
}

/**
 * Reads the fields of a form into `request.body`: strings, or arrays of strings for names that occur repeatedly.
 *
 * @throws {FormTypeError} if the body is not `application/x-www-form-urlencoded`
 * @throws {PayloadTooLargeError} if it is larger than 1 MiB
 */
export async function readForm(request: Request, response: Response): Promise<void> {
  if (!request.is('urlencoded')) {
    throw new FormTypeError();
  }
  await readBody(parseForm, request, response);
}
