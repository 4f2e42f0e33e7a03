import { urlencoded, type Request, type RequestHandler, type Response } from 'express';
import { FormTypeError } from '../errors/body-errors.js';
import { readBody } from './read-body.js';

const parsers = new Map<number, RequestHandler>();

/**
 * Reads the fields of a form into `request.body`: strings, or arrays of strings for names that occur repeatedly.
 *
 * @throws {FormTypeError} if the body is not `application/x-www-form-urlencoded`
 * @throws {PayloadTooLargeError} if it is larger than `limitBytes`
 */
export async function readForm(request: Request, response: Response, limitBytes: number): Promise<void> {
  if (!request.is('urlencoded')) {
    throw new FormTypeError();
  }
  await readBody(parserOf(limitBytes), request, response, limitBytes);
}

function parserOf(limit: number): RequestHandler {
  let parser = parsers.get(limit);
  if (!parser) {
    parser = urlencoded({ limit, extended: false });
    parsers.set(limit, parser);
  }
  return parser;
}
