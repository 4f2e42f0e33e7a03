import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const SWEEP_MS = 50;
/** Longer than a client needs to send a request on a connection that it has just opened. */
const ACCEPTED_MS = 250;

/** Ends each connection after its next response, so that callers connect to another instance. */
export function closeConnections(server: Server): void {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
}

/**
 * Refuses new connections, and waits for requests on connections that were just accepted. The server of node:http would close
 * these.
 */
async function stopListening(server: Server): Promise<void> {
  NetServer.prototype.close.call(server);
  await delay(ACCEPTED_MS);
}

/**
 * Completes the requests in flight, and accepts no more. Node itself would also wait for connections that never sent a byte,
 * which browsers open.
 *
 * @param seconds - when the streams that are still open are cut off
 */
export async function drain(app: NestExpressApplication, seconds: number): Promise<void> {
  const server: Server = app.getHttpServer();
  await stopListening(server);
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
