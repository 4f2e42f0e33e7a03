import type { Request } from 'express';
import type { TracedResponse } from './response.js';

/** Nothing may move for this long. Node notices after twice as long if the last write is still under way. */
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
