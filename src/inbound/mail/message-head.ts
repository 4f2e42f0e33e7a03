import type { Readable } from 'node:stream';
import { apiError } from '../../http/errors/api-error.js';
import { ValidationError } from '../../http/errors/errors.js';

/**
 * A raw message is larger than 25 MiB.
 *
 * The service needs only the beginning of the message, so send only that.
 */
export class MessageTooLargeError extends apiError(
  413,
  'message_too_large',
  'The message is larger than 25 MiB.',
) {}

export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
/** How much of an arriving message is kept. {@link readableHead} reads the first part of this. */
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

export interface ReadableHead {
  bytes: Uint8Array;
  /** Whether the message continues. Even then, the head ends with a whole line. */
  isCut: boolean;
}

/**
 * A report precedes the message that it returns (RFC 6522, section 3), so the head of a message holds all of it. These
 * limits bound time and memory for any message, and leave room for a report on several hundred recipients.
 */
const MAX_READABLE_BYTES = 256 * 1024;
const MAX_LINES = 4_000;
/** Every line that begins with two hyphens may begin a MIME part. */
const MAX_BOUNDARIES = 100;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const BLANK = [TAB, LF, CR, SPACE];

/** Reads the head of a message; line ends may be LF, CR, CRLF or CRCRLF, and blank lines may precede the header. */
export function readableHead(raw: Uint8Array): ReadableHead {
  const end = Math.min(raw.length, MAX_READABLE_BYTES);
  const bytes = new Uint8Array(end);
  let index = 0;
  while (index < end && BLANK.includes(raw[index]!)) {
    index += 1;
  }
  let length = 0;
  let lineEnd = 0;
  let lines = 0;
  let boundaries = 0;
  for (; index < end && lines < MAX_LINES && boundaries <= MAX_BOUNDARIES; index += 1) {
    const byte = raw[index]!;
    if (byte === CR && isBeforeLf(raw, index)) {
      continue;
    }
    bytes[length] = byte === CR ? LF : byte;
    length += 1;
    if (bytes[length - 1] === LF) {
      lineEnd = length;
      lines += 1;
      boundaries += raw[index + 1] === HYPHEN && raw[index + 2] === HYPHEN ? 1 : 0;
    }
  }
  const isCut = index < raw.length;
  return { bytes: bytes.subarray(0, isCut ? lineEnd : length), isCut };
}

/** Whether this CR, or the second of two, precedes an LF. */
function isBeforeLf(raw: Uint8Array, index: number): boolean {
  return raw[index + 1] === LF || (raw[index + 1] === CR && raw[index + 2] === LF);
}
