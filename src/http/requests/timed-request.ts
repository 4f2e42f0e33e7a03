import type { IncomingMessage } from 'node:http';
import type { TracedResponse } from '../responses/response.js';

/** A request with its deadline, in the time of `performance.now()`. */
export interface TimedRequest extends IncomingMessage {
  deadline?: number;
}

/** A request whose response has not been sent completely. */
export interface OpenRequest {
  request: TimedRequest;
  response: TracedResponse;
  startedAt: number;
}
