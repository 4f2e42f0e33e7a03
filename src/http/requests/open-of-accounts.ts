import type { Request } from 'express';
import { MAX_WAITING, type TimedRequest } from './open-requests.js';

/** Most of the requests that may wait in an instance. The rest is for other accounts. */
const MAX_OPEN = 0.9 * MAX_WAITING;

type Key = number | `node ${number}`;

interface CountedRequest extends TimedRequest {
  /** The account, and the node of the database, for which the request is counted. */
  countedFor?: Key[] | undefined;
}

const open = new Map<Key, number>();

/**
 * Counts a request of an account, or for a node of the database, until its response is sent. Returns false if too many requests
 * are open for it.
 */
export function countOpen(key: Key, request: Request & CountedRequest, limit = MAX_OPEN): boolean {
  const count = open.get(key) ?? 0;
  if (count >= limit) {
    return false;
  }
  // The end of a request whose connection is already closed has been reported.
  if (!request.socket.destroyed && !request.res?.headersSent) {
    open.set(key, count + 1);
    (request.countedFor ??= []).push(key);
  }
  return true;
}

/** Must be called when the response is sent, even if the caller has not read it, and when a request has ended. */
export function uncountOpen(request: CountedRequest): void {
  const keys = request.countedFor;
  request.countedFor = undefined;
  keys?.forEach((key) => {
    const left = open.get(key)! - 1;
    if (left === 0) {
      open.delete(key);
    } else {
      open.set(key, left);
    }
  });
}
