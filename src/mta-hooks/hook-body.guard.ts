import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { bodyOf } from '../http/body/unread-body.js';
import { hasBody, parseJson } from '../http/body/read-body.js';
import { PayloadTooLargeError } from '../http/errors/body-errors.js';
import { readArriving } from '../http/requests/senders.js';
import { MEBIBYTE } from '../http/route.js';

/**
 * Reads the body of a hook into `request.body`, whatever its content type: Stalwart before 0.16 declares none. The message, which
 * may be large, is dropped as it arrives.
 */
@Injectable()
export class HookBodyGuard implements CanActivate {
  /**
   * @throws {PayloadTooLargeError}
   * @throws {ServiceUnavailableError} if too many bodies of the account are still arriving
   * @throws {ValidationError}
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (hasBody(request)) {
      const body = bodyOf(context);
      request.body = parseJson(await readArriving(request, () => withoutMessage(body)));
    }
    return true;
  }
}

const DROPPED = '"message"';
const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE, COLON, COMMA] =
  Buffer.from('"\\[]{}:,');

/**
 * Reads a JSON object and replaces the value of its field `message` by null, without holding it in memory. The rest may be of 1
 * MiB, and need not be valid JSON.
 *
 * @throws {PayloadTooLargeError} if the rest is larger
 */
async function withoutMessage(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const reader = new MessageDropper();
  for await (const chunk of body) {
    reader.read(chunk);
  }
  return Buffer.concat(reader.kept);
}

class MessageDropper {
  readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private isDropping = false;
  /** The beginning of the last string, which is the name of a field if a colon follows. */
  private name = '';

  read(chunk: Buffer): void {
    let start = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (this.isInString) {
        this.readString(byte!);
      } else if (byte === QUOTE) {
        this.isInString = true;
        this.name = '"';
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.depth++;
      } else if (byte === COLON && this.depth === 1 && this.name === DROPPED && !this.isDropping) {
        this.keep(chunk.subarray(start, index + 1));
        this.keep(Buffer.from('null'));
        this.isDropping = true;
      } else if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.depth -= byte === COMMA ? 0 : 1;
        if (this.isDropping && this.depth <= (byte === COMMA ? 1 : 0)) {
          this.isDropping = false;
          start = index;
        }
      }
    }
    if (!this.isDropping) {
      this.keep(chunk.subarray(start));
    }
  }

  private readString(byte: number): void {
    if (this.name.length <= DROPPED.length) {
      this.name += String.fromCharCode(byte);
    }
    this.isInString = this.isEscaped || byte !== QUOTE;
    this.isEscaped = !this.isEscaped && byte === BACKSLASH;
  }

  private keep(part: Buffer): void {
    this.keptBytes += part.length;
    if (this.keptBytes > MEBIBYTE) {
      throw new PayloadTooLargeError();
    }
    this.kept.push(Buffer.from(part));
  }
}
