import type { Request } from 'express';
import { MAX_WAITING, type TimedRequest } from './open-requests.js';

/** Most of the requests that may wait in an instance. The rest is for other accounts. */
const MAX_OPEN = 0.9 * MAX_WAITING;

interface CountedRequest extends TimedRequest {
  /** The account for which the request is counted. */
  countedFor?: number;
}

const open = new Map<number, number>();

/** Counts a request of an account until it has ended. Returns false if the account has too many open ones. */
export function countOpen(accountId: number, request: Request & CountedRequest): boolean {
  const count = open.get(accountId) ?? 0;
  if (count >= MAX_OPEN) {
    return false;
  }
  // The end of a request whose connection is already closed has been reported.
  if (!request.socket.destroyed && !request.res?.closed) {
    open.set(accountId, count + 1);
    request.countedFor = accountId;
  }
  return true;
}

/** Must be called when a request has ended. */
export function uncountOpen({ countedFor }: CountedRequest): void {
  if (countedFor !== undefined) {
    const left = open.get(countedFor)! - 1;
    if (left === 0) {
      open.delete(countedFor);
    } else {
      open.set(countedFor, left);
    }
  }
}
