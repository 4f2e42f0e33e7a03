import type { NextFunction, Request, Response } from 'express';
import { sendError } from './error.filter.js';
import { ServiceUnavailableError } from './errors.js';

/** Below the five seconds that are promised, with room for a busy machine. */
const DEADLINE_MS = 4_500;

/** Answers 503 when a request takes too long, whatever it waits for. What comes later is dropped. */
export function deadline(_request: Request, response: Response, next: NextFunction): void {
  const timer = setTimeout(() => {
    if (!response.headersSent) {
      sendError(response, new ServiceUnavailableError());
    }
  }, DEADLINE_MS);
  response.once('close', () => clearTimeout(timer));
  next();
}
