import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Logger } from 'pino';
import type { TracedResponse } from './response.js';
import { sendError } from './error.filter.js';
import { ServiceUnavailableError } from './errors.js';

/** Below the five seconds that are promised, with room for a busy machine. */
const DEADLINE_MS = 4_500;
const SWEEP_MS = 100;

/** What may be taken from a caller into our log: no room for an address or a line break, and no API key. */
const REQUEST_ID = /^(?!.*sup_)[\w.:-]{1,128}$/;

/** So many without an answer are more than a slow database can give in time: the next one is told at once. */
const MAX_WAITING = 1_000;

/** So many may be open, with answers that nobody has read yet, until a connection with more than its share is closed. */
const MAX_OPEN = 2_000;
/** One, and the next where the end of the one before is not yet seen. More are for those who send without reading. */
const SHARE_OF_CONNECTION = 2;

/** Asks nobody, and a process whose liveness is refused is restarted: it is answered however many wait. */
const LIVENESS = /^\/healthz\/?(?:\?|$)/i;

/** A request that knows when its caller will have been answered, at the latest. */
interface TimedRequest extends IncomingMessage {
  deadline?: number;
}

/**
 * When the caller will have been answered, at the latest, on the clock of `performance.now()`. What is done after that
 * would happen behind the caller's back.
 */
export const Deadline = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { deadline } = context.switchToHttp().getRequest<TimedRequest>();
  return deadline ?? performance.now() + DEADLINE_MS;
});

interface OpenRequest {
  request: IncomingMessage;
  response: TracedResponse;
  startedAt: number;
}

/**
 * Gives every request an id, a deadline and a line in the log, before Express sees it: one listener instead of layers of
 * middleware, and one timer for all of them.
 */
export function watchRequests(server: Server, logger: Logger): void {
  const waiting = new Set<OpenRequest>();
  /** Those whose answer has not left in whole. One that stands behind another's is not told when the connection closes. */
  const openOn = new WeakMap<Socket, Set<OpenRequest>>();
  let open = 0;
  const close = (one: OpenRequest) => {
    if (openOn.get(one.request.socket)?.delete(one)) {
      open--;
      waiting.delete(one);
      log(logger, one);
    }
  };
  server.prependListener('connection', (socket: Socket) => {
    const own = new Set<OpenRequest>();
    openOn.set(socket, own);
    socket.once('close', () => own.forEach(close));
  });
  server.prependListener('request', (request: TimedRequest, response: TracedResponse) => {
    const { socket } = request;
    const own = openOn.get(socket);
    if (!own || socket.destroyed) {
      return;
    }
    const one = { request, response, startedAt: performance.now() };
    request.deadline = one.startedAt + DEADLINE_MS;
    response.requestId = requestIdOf(request);
    waiting.add(one);
    own.add(one);
    open++;
    response.once('close', () => close(one));
    if (open > MAX_OPEN && own.size > SHARE_OF_CONNECTION) {
      socket.destroy();
    } else if (isFull(waiting) && !LIVENESS.test(request.url!)) {
      sendError(
        response,
        new ServiceUnavailableError('Too many requests are waiting. Try again in a moment.'),
      );
    }
  });
  setInterval(() => refuseLate(waiting), SWEEP_MS).unref();
}

/** An answer that its caller does not read waits for nobody but the caller. */
function isFull(waiting: Set<OpenRequest>): boolean {
  if (waiting.size > MAX_WAITING) {
    dropAnswered(waiting);
  }
  return waiting.size > MAX_WAITING;
}

function dropAnswered(waiting: Set<OpenRequest>): void {
  for (const one of waiting) {
    if (one.response.headersSent) {
      waiting.delete(one);
    }
  }
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Answers 503 to what has taken too long, whatever it waits for; what comes later is dropped. The oldest stand first. */
function refuseLate(waiting: Set<OpenRequest>): void {
  dropAnswered(waiting);
  const late = performance.now() - DEADLINE_MS;
  for (const { response, startedAt } of waiting) {
    if (startedAt > late) {
      return;
    }
    refuse(response);
  }
}

/** The rest of a body that came too slowly is not waited for. One that nobody has begun to read is not too slow. */
function refuse(response: TracedResponse): void {
  const { complete, readableFlowing } = response.req;
  if (complete || readableFlowing === null) {
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
    msg: response.writableFinished ? 'request' : 'connection closed before the whole answer was sent',
  });
}
