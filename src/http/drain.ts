import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server, ServerResponse } from 'node:http';

/** Longer than any request may take. */
const PATIENCE_MS = 5_000;
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
 */
export async function drain(app: NestExpressApplication): Promise<void> {
  const server: Server = app.getHttpServer();
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const end = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(end);
  }
}
