import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server, ServerResponse } from 'node:http';

const SWEEP_MS = 50;

/** Ends each connection after its next response, so that callers connect to another instance. */
export function closeConnections(server: Server): void {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
}

/**
 * Answers the requests in flight, and accepts no more. Node alone would also wait for connections that never sent a byte,
 * which browsers open.
 *
 * @param seconds - when the streams that are still open are cut
 */
export async function drain(app: NestExpressApplication, seconds: number): Promise<void> {
  const server: Server = app.getHttpServer();
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const end = setTimeout(() => {
    new Logger('Main').warn('cutting the streams that did not end within SHUTDOWN_TIMEOUT');
    server.closeAllConnections();
  }, seconds * 1_000);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(end);
  }
}
