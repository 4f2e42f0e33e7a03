import type { Readable } from 'node:stream';
import { ValidationError } from '../../http/errors/errors.js';
import { MessageTooLargeError } from '../parsing/errors.js';

export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
/** A report precedes the mail that it returns. */
const KEPT_BYTES = 1024 * 1024;

/**
 * Reads a message of up to 25 MiB and keeps its first MiB, so that a large message takes no more memory than any request.
 *
 * @throws {MessageTooLargeError} as soon as the size is known; the rest stays in the stream
 * @throws {ValidationError} if the stream closes before the message ends
 */
export function readHeadOf(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let keptBytes = 0;
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_MESSAGE_BYTES) {
        reject(new MessageTooLargeError());
      } else if (keptBytes < KEPT_BYTES) {
        chunks.push(chunk.subarray(0, KEPT_BYTES - keptBytes));
        keptBytes += chunks.at(-1)!.length;
      }
    });
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
    stream.once('close', () => reject(incomplete()));
    if (stream.destroyed) {
      reject(incomplete());
    }
  });
}

function incomplete(): ValidationError {
  return ValidationError.ofRequest('The body did not arrive completely.');
}
