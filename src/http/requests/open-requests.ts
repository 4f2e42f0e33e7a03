import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { REQUEST_TIME_LIMIT_MS } from '../../config/time-limits.js';
import { traceIdOf } from '../../tracing/tracing.js';
import { ServiceUnavailableError } from '../errors/errors.js';
import { sendError, type TracedResponse } from '../responses/response.js';
import { countArriving, type KnownSender } from './senders.js';

/** A request with its deadline, on the clock of `performance.now()`. */
export interface TimedRequest extends IncomingMessage {
  deadline?: number;
}

/** A request whose response has not been sent completely. */
export interface OpenRequest {
  request: TimedRequest;
  response: TracedResponse;
  startedAt: number;
}

interface Watched extends OpenRequest {
  /** Where it is in the array of the open requests; undefined once it has ended. */
  index: number | undefined;
  /** False once it is known not to wait for the database. */
  mayWait: boolean;
}

/** A slow database cannot serve more waiting requests in time. */
export const MAX_WAITING = 1_000;

const SWEEP_MS = 100;

/**
 * The time by which the caller gets a response, on the clock of `performance.now()`. A write after it would take effect
 * although the caller was told that it failed.
 */
export function deadlineOf({ deadline }: TimedRequest): number {
  return deadline ?? performance.now() + REQUEST_TIME_LIMIT_MS;
}

/** If more requests than this are open, including those whose response nobody reads, connections are closed. */
const MAX_OPEN = 2_000;
/** A caller that reads its responses has one open request, and briefly a second one. */
const MAX_OPEN_ON_CONNECTION = 2;

/**
 * Probes are always served. Otherwise, an orchestrator would restart an instance that is only busy, and a load balancer would
 * remove all instances.
 */
const PROBES = /^\/(?:healthz|readyz)\/?(?:\?|$)/i;

/**
 * Gives every request an id and a deadline, ends it at its deadline, whatever it is waiting for, and refuses requests that an
 * overloaded instance cannot serve. One listener before Express, and one timer, cost less than layers of middleware and a timer
 * for each request.
 *
 * The open requests are in an array, because a `Set` often replaces its table: V8 would promote the old tables, and the requests in
 * them, to its old generation.
 *
 * @param onEnd - called once for each request, when its response was sent or its connection closed
 */
export function watchRequests(server: Server, onEnd: (ended: OpenRequest) => void): void {
  const open: Watched[] = [];
  let waiting = 0;
  const stopsWaiting = (one: Watched) => {
    waiting -= one.mayWait ? 1 : 0;
    one.mayWait = false;
  };
  const close = (one: Watched) => {
    if (one.index !== undefined) {
      const last = open.pop()!;
      if (last !== one) {
        open[one.index] = last;
        last.index = one.index;
      }
      one.index = undefined;
      stopsWaiting(one);
      onEnd(one);
    }
  };
  const findOpenOn = (socket: Socket) => open.filter(({ request }) => request.socket === socket);
  /**
   * Requests whose bodies are arriving do not count, because one sender can have many of them at no cost. Requests that no longer
   * wait are only looked for when there are too many.
   */
  const areTooManyWaiting = (): boolean => {
    const limit = MAX_WAITING + countArriving();
    if (waiting > limit) {
      open.filter((one) => one.response.headersSent || hasOwnTimeLimit(one)).forEach(stopsWaiting);
    }
    return waiting > limit;
  };
  // Connections are watched too, because a response that is queued behind another one gets no event when its connection closes.
  server.prependListener('connection', (socket: Socket) =>
    socket.once('close', () => findOpenOn(socket).forEach(close)),
  );
  server.prependListener('request', (request: TimedRequest, response: TracedResponse) => {
    const { socket } = request;
    if (socket.destroyed) {
      return;
    }
    const startedAt = performance.now();
    const one: Watched = { request, response, startedAt, index: open.length, mayWait: true };
    request.deadline = startedAt + REQUEST_TIME_LIMIT_MS;
    response.requestId = requestIdOf(request);
    open.push(one);
    waiting++;
    response.once('close', () => close(one));
    if (open.length > MAX_OPEN && findOpenOn(socket).length > MAX_OPEN_ON_CONNECTION) {
      // It sends requests without reading the responses.
      socket.destroy();
    } else if (areTooManyWaiting() && !PROBES.test(request.url!)) {
      sendError(
        response,
        new ServiceUnavailableError('Too many requests are waiting. Try again in a moment.'),
      );
    }
  });
  setInterval(() => [...open].forEach(endIfLate), SWEEP_MS).unref();
}

function hasOwnTimeLimit({ request, startedAt }: OpenRequest): boolean {
  return request.deadline !== startedAt + REQUEST_TIME_LIMIT_MS;
}

/**
 * Responds 503 to a request after its deadline; a later response of its handler is dropped. A response that has begun can only be
 * cut off. If its route has no time limit of its own, it only waits for its caller.
 */
function endIfLate(openRequest: OpenRequest): void {
  const { request, response } = openRequest;
  if (request.deadline! > performance.now()) {
    return;
  }
  if (!response.headersSent) {
    refuse(response);
  } else if (hasOwnTimeLimit(openRequest)) {
    response.destroy();
  }
}

/** Responds 503 without waiting for the rest of a slow body. A body that nobody has begun to read does not count as slow. */
function refuse(response: TracedResponse): void {
  const { complete, readableFlowing } = response.req;
  if (complete || readableFlowing === null) {
    sendError(response, new ServiceUnavailableError());
  } else {
    response.shouldKeepAlive = false;
    sendError(
      response,
      new ServiceUnavailableError('The body arrived too slowly. Send it faster, or send a smaller one.'),
    );
    response.once('finish', () => response.req.destroy());
  }
}

/** The ids that are accepted from callers: they cannot hold an address, a line break or an API key. */
const REQUEST_ID = /^(?!.*sup_)[\w.:-]{1,128}$/;

/** The caller's `X-Request-Id`, or a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Logs one line for each request: ids of the request, its trace, account, and key, person, or source; method, route pattern,
 * status and milliseconds. Paths, queries, headers and bodies hold addresses and keys, so they are never logged. Probes that
 * succeed, several a second, have the level debug.
 */
export function logRequest(logger: Logger, { request, response, startedAt }: OpenRequest): void {
  const { caller, visitor, source } = request as KnownSender;
  const level = PROBES.test(request.url!) && response.statusCode < 400 ? 'debug' : 'info';
  logger[level]({
    request_id: response.requestId,
    trace_id: traceIdOf(request),
    account_id: (caller ?? visitor ?? source)?.accountId,
    api_key_id: caller?.apiKeyId,
    person_id: visitor?.personId,
    source_id: source?.id,
    method: request.method,
    route: (request as Request).route?.path ?? null,
    status: response.writableFinished ? response.statusCode : null,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    msg: response.writableFinished ? 'request' : 'connection closed before the response was complete',
  });
}
