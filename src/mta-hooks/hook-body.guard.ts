import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { readArriving } from '../http/body/arriving-bodies.js';
import { bodyOf } from '../http/body/body-stream.js';
import { parseJson } from '../http/body/json-body.js';
import { hasBody } from '../http/body/read-body.js';
import { withoutMessage } from './without-message.js';

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
