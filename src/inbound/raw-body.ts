import { raw, type Request, type RequestHandler } from 'express';

/** Where bodies are what their senders signed, and JSON only to us: Amazon SNS calls its own `text/plain`. */
export const RAW_BODY_PATH = '/inbound';

const BODY_LIMIT = '1mb';

/** Reads the octets of a body, whatever it says it is, so that no other parser touches them. */
export const readRawBody: RequestHandler = raw({ type: () => true, limit: BODY_LIMIT });

/** What {@link readRawBody} read; nothing for a request without a body. */
export function rawBodyOf({ body }: Request): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
