import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreadableFileError } from '../files/errors.js';
import { toUtf8 } from '../files/utf8.js';
import { PayloadTooLargeError } from '../http/errors.js';
import { UnreadableUploadError } from './errors.js';

/** Of the file without compression. */
export const MAX_FILE_BYTES = 1024 ** 3;

/** Enough for the longest header, and for the first entry of any list. */
const HEAD_BYTES = 64 * 1024;

/** A text file that arrives: its beginning, and all of it as UTF-8. */
export interface Upload {
  head: string;
  file: AsyncIterable<Buffer>;
}

/**
 * Begins to read an uploaded file.
 *
 * @throws {UnreadableUploadError | PayloadTooLargeError} here or while the file is read
 */
export async function openUpload(body: Readable, isCompressed: boolean): Promise<Upload> {
  const pieces = readable(body, isCompressed);
  const head: Buffer[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const { value, done } = await pieces.next();
    if (done) {
      break;
    }
    head.push(value);
    bytes += value.length;
  }
  return { head: Buffer.concat(head).toString(), file: join(head, pieces) };
}

async function* join(head: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* head;
  yield* rest;
}

async function* readable(body: Readable, isCompressed: boolean): AsyncGenerator<Buffer> {
  try {
    yield* toUtf8(limited(isCompressed ? decompressed(body) : body));
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UnreadableUploadError(error.message) : error;
  }
}

/** Fails with the error of the body, if the body is what failed. */
async function* decompressed(body: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  pipeline(body, gunzip, () => undefined);
  try {
    yield* gunzip;
  } catch (error) {
    throw isZlibError(error) ? new UnreadableUploadError('The gzip data is damaged or incomplete.') : error;
  }
}

function isZlibError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('Z_');
}

async function* limited(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of file) {
    bytes += piece.length;
    if (bytes > MAX_FILE_BYTES) {
      throw new PayloadTooLargeError(MAX_FILE_BYTES);
    }
    yield piece;
  }
}
