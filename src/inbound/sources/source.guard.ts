import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import { hasBody, readBody } from '../../http/body/read-body.js';
import { readArriving } from '../../http/requests/senders.js';
import { MEBIBYTE } from '../../http/route.js';
import { MAX_MESSAGE_BYTES, readHeadOf } from '../mail/message-head.js';
import { MessageTooLargeError } from '../parsing/errors.js';
import { providerOf } from '../providers/providers.js';
import { SourceLookup } from './source-lookup.js';
import type { Source } from './source.entity.js';

/** Ignores the content type, since Amazon SNS declares its JSON as `text/plain`. */
const readBytes = raw({ type: () => true, limit: MEBIBYTE });

/** A delivery to a source that exists. */
export interface DeliveryRequest extends Request {
  source: Source;
  /** Exactly the bytes that arrived, since they were signed; only the first ones of a large message. */
  body: Buffer;
}

/** Finds the source of a delivery before it reads the body, so that nobody without one uses memory. */
@Injectable()
export class SourceGuard implements CanActivate {
  constructor(private readonly sources: SourceLookup) {}

  /** @throws {UnknownSourceError} */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<DeliveryRequest>();
    request.source = await this.sources.getByUrlId(request.params.source as string);
    if (!hasBody(request)) {
      request.body = Buffer.alloc(0);
    } else if (mayBeLarge(request) && providerOf(request.source.provider).takesMail) {
      request.body = await receiveMessage(request);
    } else {
      await readBody(readBytes, request, context.switchToHttp().getResponse<Response>());
    }
    return true;
  }
}

/** A compressed body is left to the reader that limits its decompressed size. */
function mayBeLarge({ headers }: Request): boolean {
  const isOpenEnded = headers['transfer-encoding'] !== undefined;
  const isLarge = isOpenEnded || Number(headers['content-length']) > MEBIBYTE;
  return isLarge && headers['content-encoding'] === undefined;
}

async function receiveMessage(request: Request): Promise<Buffer> {
  if (Number(request.headers['content-length']) > MAX_MESSAGE_BYTES) {
    throw new MessageTooLargeError();
  }
  try {
    return await readArriving(request, () => readHeadOf(request));
  } catch (error) {
    // The rest of the body is discarded, so that the caller reads the response.
    request.resume();
    throw error;
  }
}
