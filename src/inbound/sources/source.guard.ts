import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import { hasBody, readBody } from '../../http/read-body.js';
import { MEBIBYTE } from '../../http/route-options.js';
import { MessageTooLargeError } from '../parsing/errors.js';
import { MAX_MESSAGE_BYTES, readHeadOf } from '../mail/read-head.js';
import type { Source } from './source.entity.js';
import { providerOf, SourcesService } from './sources.service.js';

/** Whatever it says it is: Amazon SNS calls its own JSON `text/plain`. */
const readOctets = raw({ type: () => true, limit: MEBIBYTE });

/** A delivery to a source that exists. */
export interface DeliveryRequest extends Request {
  source: Source;
  /** Exactly the octets that arrived, since they are what was signed; of a large message the first. */
  body: Buffer;
}

/** Lets through what comes to a source, and reads its body: none takes memory that goes nowhere. */
@Injectable()
export class SourceGuard implements CanActivate {
  constructor(private readonly sources: SourcesService) {}

  /** @throws {UnknownSourceError} */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<DeliveryRequest>();
    request.source = await this.sources.getByUrlId(request.params.source as string);
    if (!hasBody(request)) {
      request.body = Buffer.alloc(0);
    } else if (mayBeLarge(request) && providerOf(request.source.provider).takesMail) {
      request.body = await readMessage(request);
    } else {
      await readBody(readOctets, request, context.switchToHttp().getResponse<Response>());
    }
    return true;
  }
}

/** A compressed body is left to the reader that limits what comes out of it. */
function mayBeLarge({ headers }: Request): boolean {
  const isOpenEnded = headers['transfer-encoding'] !== undefined;
  const isLarge = isOpenEnded || Number(headers['content-length']) > MEBIBYTE;
  return isLarge && headers['content-encoding'] === undefined;
}

async function readMessage(request: Request): Promise<Buffer> {
  if (Number(request.headers['content-length']) > MAX_MESSAGE_BYTES) {
    throw new MessageTooLargeError();
  }
  try {
    return await readHeadOf(request);
  } catch (error) {
    // What is left of the body is let pass, so that the caller gets to read the answer.
    request.resume();
    throw error;
  }
}
