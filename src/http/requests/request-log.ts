import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { traceIdOf } from '../../tracing/trace-id.js';
import type { IdentifiedRequest } from './identified-request.js';
import { isProbe } from './overload.js';
import type { OpenRequest } from './timed-request.js';

/** The ids that are accepted from callers: they cannot hold an address, a line break or an API key. */
const REQUEST_ID = /^(?!.*sup_)[\w.:-]{1,128}$/;

/** The caller's `X-Request-Id`, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Logs one line for each request: ids of the request, its trace, account, and key or person; method, route pattern, status and
 * milliseconds. Paths, queries, headers and bodies hold addresses and keys, so they are never logged. Probes that succeed, several
 * a second, have the level debug.
 */
export function logRequest(logger: Logger, { request, response, startedAt }: OpenRequest): void {
  const { caller, visitor } = request as IdentifiedRequest;
  const level = isProbe(request.url!) && response.statusCode < 400 ? 'debug' : 'info';
  logger[level]({
    request_id: response.requestId,
    trace_id: traceIdOf(request),
    account_id: (caller ?? visitor)?.accountId,
    api_key_id: caller?.apiKeyId,
    person_id: visitor?.personId,
    method: request.method,
    route: (request as Request).route?.path ?? null,
    status: response.writableFinished ? response.statusCode : null,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    msg: response.writableFinished ? 'request' : 'connection closed before the response was complete',
  });
}
