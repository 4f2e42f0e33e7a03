import { raw, type Request, type RequestHandler } from 'express';
import { MessageTooLargeError } from './errors.js';
import { MAX_MESSAGE_OCTETS, readHeadOf } from './mail/read-head.js';

/** Where bodies are what their senders signed, and JSON only to us: Amazon SNS calls its own `text/plain`. */
export const RAW_BODY_PATH = '/inbound';

const BODY_LIMIT_OCTETS = 1024 * 1024;

const readSmallBody: RequestHandler = raw({ type: () => true, limit: BODY_LIMIT_OCTETS });

/**
 * Reads the octets of a body, whatever it says it is, so that no other parser touches them. One that may be larger than
 * any event is read only if its source takes mail, and then never held as a whole.
 *
 * @param takesMail - whether the source with this part of a URL does
 */
export function readRawBody(takesMail: (urlId: string) => Promise<boolean>): RequestHandler {
  return async (request, response, next) => {
    try {
      if (mayBeLarge(request) && (await takesMail(request.path.split('/')[1] ?? ''))) {
        request.body = await readMessage(request);
        next();
      } else {
        readSmallBody(request, response, next);
      }
    } catch (error) {
      // What is left of the body is let pass, so that the caller gets to read the answer.
      request.resume();
      next(error);
    }
  };
}

/** What was read of the body; nothing for a request without one. */
export function rawBodyOf({ body }: Request): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** A compressed body is left to the reader that limits what comes out of it. */
function mayBeLarge({ headers }: Request): boolean {
  const isOpenEnded = headers['transfer-encoding'] !== undefined;
  const isLarge = isOpenEnded || Number(headers['content-length']) > BODY_LIMIT_OCTETS;
  return isLarge && headers['content-encoding'] === undefined;
}

async function readMessage(request: Request): Promise<Buffer> {
  if (Number(request.headers['content-length']) > MAX_MESSAGE_OCTETS) {
    throw new MessageTooLargeError();
  }
  return readHeadOf(request);
}
