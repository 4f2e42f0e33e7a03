import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Logger } from 'pino';
import type { TracedResponse } from './answer.js';
import { sendError } from './error.filter.js';
import { ServiceUnavailableError } from './errors.js';

/** Below the five seconds that are promised, with room for a busy machine. */
const DEADLINE_MS = 4_500;
const SWEEP_MS = 100;

/** What may be taken from a caller into our log: no room for an address or a line break. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** So many at once are more than a slow database can answer in time: the next one is told at once. */
const MAX_OPEN = 1_000;

/** Asks nobody, and a process whose liveness is refused is restarted: it is answered however many wait. */
const LIVENESS_PATH = '/healthz';

/** A request that knows when its caller will have been answered, at the latest. */
interface TimedRequest extends IncomingMessage {
  answeredBy?: number;
}

/**
 * When the caller will have been answered, at the latest, on the clock of `performance.now()`. What is done after that
 * would happen behind the caller's back.
 */
export const AnsweredBy = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { answeredBy } = context.switchToHttp().getRequest<TimedRequest>();
  return answeredBy ?? performance.now() + DEADLINE_MS;
});

interface OpenRequest {
  request: IncomingMessage;
  response: TracedResponse;
  startedAt: number;
}

/**
 * Gives every request an id, a deadline and a line in the log, before Express sees it: one listener instead of layers of
 * middleware, and one timer for all of them. A response that waits behind another one of its connection is not told when
 * the connection closes: the connection tells.
 */
export function watchRequests(server: Server, logger: Logger): void {
  const open = new Set<OpenRequest>();
  const forget = (one: OpenRequest) => {
    if (open.delete(one)) {
      log(logger, one);
    }
  };
  server.prependListener('request', (request: TimedRequest, response: TracedResponse) => {
    const one = { request, response, startedAt: performance.now() };
    request.answeredBy = one.startedAt + DEADLINE_MS;
    response.requestId = requestIdOf(request);
    open.add(one);
    response.once('close', () => forget(one));
    if (open.size > MAX_OPEN && request.url !== LIVENESS_PATH) {
      sendError(
        response,
        new ServiceUnavailableError('Too many requests are waiting. Try again in a moment.'),
      );
    }
  });
  server.on('connection', (socket) => {
    socket.once('close', () => {
      [...open].filter(({ request }) => request.socket === socket).forEach(forget);
    });
  });
  setInterval(() => refuseLate(open), SWEEP_MS).unref();
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Answers 503 to what has taken too long, whatever it waits for; what comes later is dropped. The oldest stand first. */
function refuseLate(open: Set<OpenRequest>): void {
  const late = performance.now() - DEADLINE_MS;
  for (const { response, startedAt } of open) {
    if (startedAt > late) {
      return;
    }
    if (!response.headersSent) {
      refuse(response);
    }
  }
}

/** The rest of a body that came too slowly is not waited for. */
function refuse(response: TracedResponse): void {
  if (response.req.complete) {
    sendError(response, new ServiceUnavailableError());
  } else {
    response.shouldKeepAlive = false;
    sendError(
      response,
      new ServiceUnavailableError('The body came too slowly. Send it faster, or a smaller one.'),
    );
    response.once('finish', () => response.req.destroy());
  }
}

/**
 * One line for each request: its id, method, route pattern, status and milliseconds. Never a path, a query, a header or
 * a body: they hold addresses and keys.
 */
function log(logger: Logger, { request, response, startedAt }: OpenRequest): void {
  logger.info({
    request_id: response.requestId,
    method: request.method,
    route: (request as Request).route?.path ?? null,
    status: response.writableFinished ? response.statusCode : null,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    msg: response.writableFinished ? 'request' : 'request aborted by the caller',
  });
}
