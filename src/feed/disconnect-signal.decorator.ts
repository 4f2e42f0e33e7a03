import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';

/** A signal that is aborted when the connection of the request closes. */
export const DisconnectSignal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AbortSignal => {
    const disconnected = new AbortController();
    context
      .switchToHttp()
      .getResponse<Response>()
      .once('close', () => disconnected.abort());
    return disconnected.signal;
  },
);
