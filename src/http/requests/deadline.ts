import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { REQUEST_TIME_LIMIT_MS } from '../../config/time-limits.js';
import { ServiceUnavailableError } from '../errors/errors.js';
import { sendError, type TracedResponse } from '../responses/response.js';

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

/** A slow database cannot serve more waiting requests in time. */
export const MAX_WAITING = 1_000;

const SWEEP_MS = 100;

/**
 * The time by which the caller gets a response, on the clock of `performance.now()`. A write after it would take effect
 * although the caller was told that it failed.
 */
export const Deadline = createParamDecorator((_data: unknown, context: ExecutionContext): number =>
  deadlineOf(context.switchToHttp().getRequest<TimedRequest>()),
);

export function deadlineOf({ deadline }: TimedRequest): number {
  return deadline ?? performance.now() + REQUEST_TIME_LIMIT_MS;
}

/** Ends every request at its deadline, whatever it is waiting for. A later response of its handler is dropped. */
export class Deadlines {
  /** Requests without a response, in order of arrival and so in order of their deadlines. */
  private readonly waiting = new Set<OpenRequest>();
  /** Requests of routes with a time limit of their own. */
  private readonly streams = new Set<OpenRequest>();

  constructor() {
    setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  add(openRequest: OpenRequest): void {
    this.waiting.add(openRequest);
  }

  delete(openRequest: OpenRequest): void {
    this.waiting.delete(openRequest);
    this.streams.delete(openRequest);
  }

  /** The number of requests without a response; exact only where it exceeds the limit. */
  countWaiting(): number {
    if (this.waiting.size > MAX_WAITING) {
      this.classify();
    }
    return this.waiting.size;
  }

  private sweep(): void {
    this.classify();
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

  /**
   * Moves requests with a time limit of their own to the streams. Drops requests whose response has begun, because they wait
   * for their caller.
   */
  private classify(): void {
    for (const openRequest of this.waiting) {
      if (openRequest.request.deadline !== openRequest.startedAt + REQUEST_TIME_LIMIT_MS) {
        this.waiting.delete(openRequest);
        this.streams.add(openRequest);
      } else if (openRequest.response.headersSent) {
        this.waiting.delete(openRequest);
      }
    }
  }
}

/** Ends a stream. If its response has begun, it can only be cut off. */
function endStream(response: TracedResponse): void {
  if (response.headersSent) {
    response.destroy();
  } else {
    refuse(response);
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
