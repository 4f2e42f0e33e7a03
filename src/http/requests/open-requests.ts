import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { REQUEST_TIME_LIMIT_MS } from '../../config/time-limits.js';
import { ServiceUnavailableError } from '../errors/errors.js';
import { sendError, type TracedResponse } from '../responses/response.js';
import { Deadlines } from './deadline.js';
import { hasTooManyOpen, isOverloaded } from './overload.js';
import { requestIdOf } from './request-log.js';
import type { OpenRequest, TimedRequest } from './timed-request.js';

/**
 * Gives every request an id and a deadline, and refuses those that an overloaded instance cannot serve. One listener before
 * Express, and one timer, cost less than layers of middleware and a timer for each request.
 *
 * @param onEnd - called once for each request, when its response was sent or its connection closed
 */
export function watchRequests(server: Server, onEnd: (ended: OpenRequest) => void): void {
  const deadlines = new Deadlines();
  /** A response that is queued behind another one gets no event when its connection closes, so connections are watched. */
  const openOn = new WeakMap<Socket, Set<OpenRequest>>();
  let open = 0;
  const close = (openRequest: OpenRequest) => {
    if (openOn.get(openRequest.request.socket)?.delete(openRequest)) {
      open--;
      deadlines.delete(openRequest);
      onEnd(openRequest);
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
    const openRequest = { request, response, startedAt: performance.now() };
    request.deadline = openRequest.startedAt + REQUEST_TIME_LIMIT_MS;
    response.requestId = requestIdOf(request);
    deadlines.add(openRequest);
    own.add(openRequest);
    open++;
    response.once('close', () => close(openRequest));
    if (hasTooManyOpen(open, own.size)) {
      socket.destroy();
    } else if (isOverloaded(deadlines.countWaiting(), request.url!)) {
      sendError(
        response,
        new ServiceUnavailableError('Too many requests are waiting. Try again in a moment.'),
      );
    }
  });
}
