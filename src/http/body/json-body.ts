import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, type Request, type RequestHandler, type Response } from 'express';
import { problemWithJson } from '../../validation/json-limits.js';
import { UnsupportedMediaTypeError } from '../errors/body-errors.js';
import { ValidationError } from '../errors/errors.js';
import { readBody } from './read-body.js';

/** Parsing and validating a body within these limits holds the event loop for a few milliseconds at most. */
const JSON_LIMITS = { depth: 32, values: 10_000, mayRepeatNames: false };

const parsers = new Map<number, RequestHandler>();

/**
 * Reads a JSON body into `request.body`.
 *
 * @throws {UnsupportedMediaTypeError} if the body does not declare itself as JSON in UTF-8
 * @throws {PayloadTooLargeError} if it is larger than `limitBytes`
 * @throws {ValidationError} if it is not UTF-8 or cannot be parsed, is too deep, has too many values, or has a name twice
 *   in one object
 */
export async function readJson(request: Request, response: Response, limitBytes: number): Promise<void> {
  if (!request.is('json')) {
    throw new UnsupportedMediaTypeError();
  }
  await readBody(parserOf(limitBytes), request, response, limitBytes);
}

function parserOf(limit: number): RequestHandler {
  let parser = parsers.get(limit);
  if (!parser) {
    parser = json({ limit, verify: requireSafeJson });
    parsers.set(limit, parser);
  }
  return parser;
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
  } catch {
    throw ValidationError.ofRequest('The body is not a JSON object or array.');
  }
}
