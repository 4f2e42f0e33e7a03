import type { Request } from 'express';
import type { TracedResponse } from './response.js';

/** How long nothing may move between the service and a caller that reads nothing. */
export const UNREAD_MS = 30_000;

/**
 * Watches a response that is written while the request is read. A caller that sends everything before it reads would wait forever:
 * the service reads no more until it can write. Then the connection is cut.
 *
 * @returns aborted just before the connection is cut
 */
export function watchUnread(request: Request, response: TracedResponse): AbortSignal {
  const unread = new AbortController();
  response.setTimeout(UNREAD_MS, () => {
    if (response.writableNeedDrain && !request.complete) {
      unread.abort();
      response.destroy();
    }
  });
  return unread.signal;
}
