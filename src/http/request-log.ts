import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';

const REQUEST_ID_HEADER = 'X-Request-Id';
/** What may be taken from a caller into our log: no room for an address or a line break. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/**
 * One line for each request: its id, method, route pattern, status and milliseconds. Never a path, a query, a header or
 * a body: they hold addresses and keys.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    const given = request.get(REQUEST_ID_HEADER);
    const requestId = given && REQUEST_ID.test(given) ? given : randomUUID();
    response.set(REQUEST_ID_HEADER, requestId);
    response.once('close', () => {
      logger.info({
        request_id: requestId,
        method: request.method,
        route: request.route?.path ?? null,
        status: response.writableFinished ? response.statusCode : null,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        msg: response.writableFinished ? 'request' : 'request aborted by the caller',
      });
    });
    next();
  };
}
