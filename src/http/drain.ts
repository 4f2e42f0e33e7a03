import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server, ServerResponse } from 'node:http';

/** Longer than any request may take: whoever is connected after it asks nothing. */
const PATIENCE_MS = 5_000;
const SWEEP_MS = 50;

/**
 * Answers the requests in flight, and takes no more. Node alone would go on with a caller that keeps its connection busy,
 * and wait for one that connected and never sent a byte, as browsers do.
 */
export async function drain(app: NestExpressApplication): Promise<void> {
  const server: Server = app.getHttpServer();
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const end = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(end);
  }
}
