import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ExecutionContext } from '@nestjs/common';
import { MAX_FILE_BYTES } from '../../files/file-limits.js';
import { PayloadTooLargeError, UnreadableUploadError } from '../errors/body-errors.js';
import { MEBIBYTE, routeOptionsOf } from '../route.js';

/**
 * The body of a route with `body: 'unread'`, as a stream of bytes. Beyond the route's `bodyLimit` the stream fails with
 * `PayloadTooLargeError`.
 */
export function bodyOf(context: ExecutionContext): Readable {
  const request = context.switchToHttp().getRequest<IncomingMessage>();
  const { bodyLimit } = routeOptionsOf(context);
  if (Number(request.headers['content-length']) > bodyLimit) {
    throw new PayloadTooLargeError(bodyLimit);
  }
  return Readable.from(enforceLimit(request, bodyLimit), { objectMode: false });
}

/**
 * Limits the length of a body, and ends it when the connection closes: Node.js does not abort a request that already has a
 * response, as a request that was cut off has.
 */
async function* enforceLimit(request: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  const abort = () => request.destroy();
  request.socket.once('close', abort);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limitBytes) {
        throw new PayloadTooLargeError(limitBytes);
      }
      yield chunk;
    }
  } finally {
    request.socket.off('close', abort);
    // Discards the rest, so that the caller can read the response.
    request.resume();
  }
}

/** The highest accepted compression ratio. Lists of addresses compress to a thirtieth at best. */
const MAX_RATIO = 100;

/**
 * Decompresses a gzip file in constant memory. An uncompressed file passes unchanged.
 *
 * @throws {UnreadableUploadError} if it is damaged, or is more than 1 MiB larger than {@link MAX_RATIO} times its compressed size
 * @throws {PayloadTooLargeError} if it is larger than {@link MAX_FILE_BYTES}
 */
export async function* decompress(body: Readable, isCompressed: boolean): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of isCompressed ? gunzipBody(body) : body) {
    bytes += piece.length;
    if (bytes > MAX_FILE_BYTES) {
      throw new PayloadTooLargeError(MAX_FILE_BYTES);
    }
    yield piece;
  }
}

/** Fails with the error of the body if the body itself failed. */
async function* gunzipBody(body: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  pipeline(body, gunzip, () => undefined);
  let bytes = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MEBIBYTE + MAX_RATIO * gunzip.bytesWritten) {
        throw new UnreadableUploadError(
          `The gzip data is more than ${MAX_RATIO} times as large when it is decompressed. Send the file uncompressed.`,
        );
      }
      yield piece;
    }
  } catch (error) {
    throw isZlibError(error)
      ? new UnreadableUploadError('The gzip data is damaged or incomplete. Compress the file again.')
      : error;
  }
}

function isZlibError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('Z_');
}
