import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Request } from 'express';
import { continued } from '../../files/streams.js';
import { HttpVersionError } from '../errors/errors.js';
import { SECURITY_HEADERS, type TracedResponse } from './response.js';
import { countUnread, requireFewUnread } from './unread-responses.js';

export interface StreamOptions {
  contentType: string;
  headers?: Readonly<Record<string, string>>;
  /** The name under which a browser saves the response. */
  filename?: string;
  /** Whether to send each piece immediately, even if it compresses less, so that a slow response is never silent. */
  isSlow?: boolean;
}

/**
 * Sends a response of any length in constant memory, compressed if the caller accepts gzip. An error before the first piece has
 * a response of its own; a later one cuts the connection, so that no caller mistakes a part for the whole. A HEAD request gets
 * the headers but reads no piece, so effects and errors of reading the pieces, such as an audit entry, do not occur.
 *
 * @throws {ServiceUnavailableError} if the account does not read its responses
 * @throws {HttpVersionError} for HTTP/1.0, whose callers cannot tell a cut response from a complete one
 */
export async function sendStream(
  request: Request,
  response: TracedResponse,
  pieces: AsyncIterable<string | Buffer>,
  { contentType, filename, headers = {}, isSlow = false }: StreamOptions,
): Promise<void> {
  if (request.httpVersion === '1.0') {
    throw new HttpVersionError();
  }
  const iterator = pieces[Symbol.asyncIterator]();
  const isHead = request.method === 'HEAD';
  const first = isHead ? null : await iterator.next();
  try {
    if (response.headersSent) {
      return;
    }
    requireFewUnread(request);
    countUnread(response, true);
    const isCompressed = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    response.writeHead(200, {
      'Content-Type': contentType,
      ...SECURITY_HEADERS,
      ...(response.requestId !== undefined && { 'X-Request-Id': response.requestId }),
      ...(filename !== undefined && { 'Content-Disposition': `attachment; filename="${filename}"` }),
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
      Vary: 'Accept-Encoding',
      ...headers,
    });
    if (first === null) {
      response.end();
      return;
    }
    const all = first.done ? [] : continued(first.value, iterator);
    const body = Readable.from(all, { objectMode: false });
    const encoders: Transform[] = isCompressed
      ? [createGzip({ flush: isSlow ? constants.Z_SYNC_FLUSH : constants.Z_NO_FLUSH })]
      : [];
    await pipeline([body, ...encoders, response]);
  } finally {
    // Nothing else stops the pieces if the request failed while the first one was made.
    await iterator.return?.();
  }
}

/** How long neither side may make progress. Node notices after twice as long if the last write is still in progress. */
const UNREAD_MS = 30_000;

/**
 * Watches a response that is written while the request is read. A caller that sends everything before it reads would wait
 * forever: the service reads no more until it can write. Then the connection is cut.
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
