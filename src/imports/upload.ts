import type { Readable } from 'node:stream';
import { UnreadableFileError } from '../files/errors.js';
import { peek } from '../files/peek.js';
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
  const { head, all } = await peek(readUtf8(body, isCompressed), (_piece, length) => length >= HEAD_BYTES);
  return { head: head.toString(), file: all };
}

async function* readUtf8(body: Readable, isCompressed: boolean): AsyncGenerator<Buffer> {
  try {
    yield* toUtf8(decompress(body, isCompressed));
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UnreadableUploadError(error.message) : error;
  }
}
