import type { NextFunction, Request } from 'express';
import type { TracedResponse } from '../../http/responses/response.js';
import { ConsoleErrorPage } from '../components/error-page.js';

/** Lets requests that no route gets, such as those whose path is malformed, end with a page. */
export function consolePages(_request: Request, response: TracedResponse, next: NextFunction): void {
  Object.assign(response, { kind: 'html', errorPage: ConsoleErrorPage });
  next();
}
