import type { Request } from 'express';
import type { OpenRequest } from '../http/requests/timed-request.js';
import type { Metrics } from './metrics.js';

/** Methods that the API does not use share a label, so that callers cannot invent labels. */
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** Nginx' status for a connection that its client closed before the response. */
const CLIENT_CLOSED_REQUEST = 499;

export function measureRequest(metrics: Metrics, { request, response, startedAt }: OpenRequest): void {
  const method = METHODS.has(request.method!) ? request.method! : 'OTHER';
  const route: string | null = (request as Request).route?.path ?? null;
  const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
  metrics.observeRequest(method, route, status, (performance.now() - startedAt) / 1_000);
}
