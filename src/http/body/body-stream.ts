import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { PayloadTooLargeError } from '../errors/body-errors.js';
import { routeOptionsOf } from '../route-options.js';

/**
 * The body of a route with `body: 'unread'`, as a stream of bytes. Beyond the route's `bodyLimit` the stream fails with
 * `PayloadTooLargeError`.
 */
export const BodyStream = createParamDecorator((_data: unknown, context: ExecutionContext): Readable =>
  bodyOf(context),
);

export function bodyOf(context: ExecutionContext): Readable {
  const request = context.switchToHttp().getRequest<IncomingMessage>();
  const { bodyLimit } = routeOptionsOf(context);
  if (Number(request.headers['content-length']) > bodyLimit) {
    throw new PayloadTooLargeError(bodyLimit);
  }
  return Readable.from(enforceLimit(request, bodyLimit), { objectMode: false });
}

/**
 * Node.js does not abort a request that has its response, which a request that was cut off gets. So the end of the connection
 * ends its body.
 */
async function* enforceLimit(request: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  const abort = () => request.destroy();
  request.socket.once('close', abort);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limitBytes) {
        throw new PayloadTooLargeError(limitBytes);
      }
      yield chunk;
    }
  } finally {
    request.socket.off('close', abort);
    // Discards the rest, so that the caller can read the response.
    request.resume();
  }
}
