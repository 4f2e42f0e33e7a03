import type { NextFunction, Request, Response } from 'express';
import { UnsupportedMediaTypeError } from './errors.js';

/** Enough for a thousand of the longest addresses. */
export const BODY_LIMIT = '1mb';

/** Refuses a body that does not say it is JSON, which the body parser would pass by in silence. */
export function requireJson(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  next(hasBody && !request.is('json') ? new UnsupportedMediaTypeError() : undefined);
}
