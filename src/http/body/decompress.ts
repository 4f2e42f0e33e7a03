import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MAX_FILE_BYTES } from '../../files/file-limits.js';
import { PayloadTooLargeError, UnreadableUploadError } from '../errors/body-errors.js';
import { MEBIBYTE } from '../route-options.js';

/** Lists of addresses compress to a thirtieth at best. */
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

/** Fails with the error of the body, if the body is what failed. */
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
