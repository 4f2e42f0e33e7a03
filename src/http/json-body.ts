import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, type NextFunction, type Request, type Response } from 'express';
import { UnsupportedMediaTypeError, ValidationError } from './errors.js';

const MAX_DEPTH = 32;
const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from('"\\[]{}');

/** Enough for a thousand of the longest addresses. */
const BODY_LIMIT = '1mb';

const parseJson = json({ limit: BODY_LIMIT, verify: refuseDeepNesting });

/**
 * Reads a body, and refuses one that does not say it is JSON, which the body parser would pass by in silence. One that was
 * read already, as octets, is none of its business.
 */
export function readJson(request: Request, response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  if (!hasBody || Buffer.isBuffer(request.body)) {
    next();
  } else if (request.is('json') && isUtf8(request.headers['content-type']!)) {
    parseJson(request, response, next);
  } else {
    next(new UnsupportedMediaTypeError());
  }
}

/** RFC 8259, section 8.1. Other charsets would also hide brackets from {@link refuseDeepNesting}. */
function isUtf8(contentType: string): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType) ?? [];
  return /^utf-?8$/i.test(charset);
}

/** What reads the parsed body is recursive: a body of brackets alone would exhaust its stack. */
function refuseDeepNesting(_request: IncomingMessage, _response: ServerResponse, body: Buffer): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (byte === QUOTE) {
      inString = !inString;
    } else if (inString) {
      index += byte === BACKSLASH ? 1 : 0;
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth++;
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      depth--;
    }
    if (depth > MAX_DEPTH) {
      throw ValidationError.ofRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`);
    }
  }
}
