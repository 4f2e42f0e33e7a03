import type { Request } from 'express';
import { MAX_WAITING, type TimedRequest } from './open-requests.js';

/** Most of the requests that may wait in an instance. The rest is for other accounts. */
const MAX_OPEN = 0.9 * MAX_WAITING;

interface CountedRequest extends TimedRequest {
  /** The account for which the request is counted. */
  countedFor?: number | undefined;
}

const open = new Map<number, number>();

/** Counts a request of an account until its response is sent. Returns false if the account has too many open ones. */
export function countOpen(accountId: number, request: Request & CountedRequest): boolean {
  const count = open.get(accountId) ?? 0;
  if (count >= MAX_OPEN) {
    return false;
  }
  // The end of a request whose connection is already closed has been reported.
  if (!request.socket.destroyed && !request.res?.headersSent) {
    open.set(accountId, count + 1);
    request.countedFor = accountId;
  }
  return true;
}

/** Must be called when the response is sent, even if the caller has not read it, and when a request has ended. */
export function uncountOpen(request: CountedRequest): void {
  const { countedFor } = request;
  if (countedFor !== undefined) {
    request.countedFor = undefined;
    const left = open.get(countedFor)! - 1;
    if (left === 0) {
      open.delete(countedFor);
    } else {
      open.set(countedFor, left);
    }
  }
}
