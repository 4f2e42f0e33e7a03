import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { json, type Request, type Response } from 'express';
import { UnsupportedMediaTypeError, ValidationError } from './errors.js';
import { BODY_LIMIT_OCTETS, hasBody, readBody } from './read-body.js';

const MAX_DEPTH = 32;
const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from('"\\[]{}');

const parseJson = json({ limit: BODY_LIMIT_OCTETS, verify: refuse });

/**
 * Reads a body, and refuses one that does not say it is JSON, which the body parser would pass by in silence. It stands
 * behind the guards of all routes, so that no body takes memory whose sender has no key.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (!hasBody(request)) {
      return true;
    }
    if (!request.is('json')) {
      throw new UnsupportedMediaTypeError();
    }
    const response = context.switchToHttp().getResponse<Response>();
    return readBody(parseJson, request, response).then(() => true);
  }
}

/**
 * What reads the parsed body is recursive: a body of brackets alone would exhaust its stack. Charsets other than that of
 * JSON (RFC 8259, section 8.1) would hide them.
 */
function refuse(_request: IncomingMessage, _response: ServerResponse, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') {
    throw new UnsupportedMediaTypeError();
  }
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
