import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { REQUEST_TIME_LIMIT_MS } from '../../config/time-limits.js';
import { ServiceUnavailableError } from '../errors/errors.js';
import { sendError, type TracedResponse } from '../responses/response.js';
import { MAX_WAITING } from './overload.js';
import type { OpenRequest, TimedRequest } from './timed-request.js';

const SWEEP_MS = 100;

/**
 * When the caller will have been answered at the latest, on the clock of `performance.now()`. A write after the deadline
 * would happen although the caller was told that it did not.
 */
export const Deadline = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { deadline } = context.switchToHttp().getRequest<TimedRequest>();
  return deadline ?? performance.now() + REQUEST_TIME_LIMIT_MS;
});

/** Ends every request at its deadline, whatever it waits for. A later response of its handler is dropped. */
export class Deadlines {
  /** Requests without a response, in order of arrival and so in order of their deadlines. */
  private readonly waiting = new Set<OpenRequest>();
  /** Requests of routes with another time limit. */
  private readonly streams = new Set<OpenRequest>();

  constructor() {
    setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  add(one: OpenRequest): void {
    this.waiting.add(one);
  }

  delete(one: OpenRequest): void {
    this.waiting.delete(one);
    this.streams.delete(one);
  }

  /** The number of requests without a response; exact only where it exceeds the limit. */
  countWaiting(): number {
    if (this.waiting.size > MAX_WAITING) {
      this.sortOut();
    }
    return this.waiting.size;
  }

  private sweep(): void {
    this.sortOut();
    const now = performance.now();
    for (const { request, response } of this.waiting) {
      if (request.deadline! > now) {
        break;
      }
      refuse(response);
    }
    for (const { request, response } of this.streams) {
      if (request.deadline! <= now) {
        endStream(response);
      }
    }
  }

  /** Moves requests with another time limit, and forgets those whose response has begun: they wait for their caller. */
  private sortOut(): void {
    for (const one of this.waiting) {
      if (one.request.deadline !== one.startedAt + REQUEST_TIME_LIMIT_MS) {
        this.waiting.delete(one);
        this.streams.add(one);
      } else if (one.response.headersSent) {
        this.waiting.delete(one);
      }
    }
  }
}

/** A response that has begun can only be cut off. */
function endStream(response: TracedResponse): void {
  if (response.headersSent) {
    response.destroy();
  } else {
    refuse(response);
  }
}

/** Does not wait for the rest of a slow body. A body that nobody has begun to read is not slow. */
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
