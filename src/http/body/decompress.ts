import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MAX_FILE_BYTES } from '../../files/max-file-bytes.js';
import { PayloadTooLargeError, UnreadableUploadError } from '../errors/body-errors.js';

/**
 * Decompresses a gzip file in constant memory. An uncompressed file passes unchanged.
 *
 * @throws {UnreadableUploadError} if it is damaged
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
  try {
    yield* gunzip;
  } catch (error) {
    throw isZlibError(error)
      ? new UnreadableUploadError('The gzip data is damaged or incomplete. Compress the file again.')
      : error;
  }
}

function isZlibError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('Z_');
}
