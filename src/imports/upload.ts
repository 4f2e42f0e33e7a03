import type { Readable } from 'node:stream';
import { UnreadableFileError } from '../files/errors.js';
import { toUtf8 } from '../files/utf8.js';
import { decompress } from '../http/body/decompress.js';
import { UnreadableUploadError } from '../http/errors/body-errors.js';

/** Enough for the longest header, and for the first entry of any list. */
const HEAD_BYTES = 64 * 1024;

/** A text file that is arriving: its beginning, and all of it as UTF-8. */
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
  const pieces = readUtf8(body, isCompressed);
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
  return { head: Buffer.concat(head).toString(), file: concatenate(head, pieces) };
}

async function* concatenate(head: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* head;
  yield* rest;
}

async function* readUtf8(body: Readable, isCompressed: boolean): AsyncGenerator<Buffer> {
  try {
    yield* toUtf8(decompress(body, isCompressed));
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UnreadableUploadError(error.message) : error;
  }
}
