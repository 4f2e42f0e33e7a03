import type { Readable } from 'node:stream';
import { ValidationError } from '../../http/errors.js';
import { MessageTooLargeError } from '../parsing/errors.js';

export const MAX_MESSAGE_OCTETS = 25 * 1024 * 1024;
/** Reports stand at the beginning of a message, before the mail that they return. */
const KEPT_OCTETS = 1024 * 1024;

/**
 * Reads a message of up to 25 MiB and keeps its first MiB, so that a large one takes no more memory than any request.
 *
 * @throws {MessageTooLargeError} as soon as it is known; the rest is left in the stream
 * @throws {ValidationError} when the stream ends before the message does
 */
export function readHeadOf(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let kept = 0;
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_MESSAGE_OCTETS) {
        reject(new MessageTooLargeError());
      } else if (kept < KEPT_OCTETS) {
        chunks.push(chunk.subarray(0, KEPT_OCTETS - kept));
        kept += chunks.at(-1)!.length;
      }
    });
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
    stream.once('close', () => reject(cutOff()));
    if (stream.destroyed) {
      reject(cutOff());
    }
  });
}

function cutOff(): ValidationError {
  return ValidationError.ofRequest('The body did not arrive as a whole.');
}
