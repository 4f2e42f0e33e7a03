import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ListenOptions } from 'node:net';

/**
 * Serves `GET /metrics`, and nothing else.
 *
 * @param contentType - the content type of the text that `read` returns
 */
export async function serveMetrics(
  address: ListenOptions,
  contentType: string,
  read: () => Promise<string>,
): Promise<Server> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' || request.url!.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await read();
      response.setHeader('Content-Type', contentType);
      response.end(text);
    } catch {
      response.writeHead(503).end();
    }
  };
  const server = createServer((request, response) => void respond(request, response)).listen(address);
  await once(server, 'listening');
  return server;
}
