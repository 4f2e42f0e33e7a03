import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { httpUrl, listenAddressOf } from '../http/server/listen-address.js';
import { OperatorError } from '../process/operator-error.js';

/** Serves `GET /metrics` on a separate port, which is not public. */
export async function listenForMetrics(
  host: string,
  port: number,
  contentType: string,
  read: () => Promise<string>,
): Promise<Server> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
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
  const server = createServer((request, response) => void respond(request, response)).listen(port, host);
  await once(server, 'listening').catch((error: Error) => {
    throw new OperatorError(`METRICS_PORT cannot be used: ${error.message}`);
  });
  const address = listenAddressOf(server);
  new Logger('MetricsServer').log(`metrics at ${httpUrl(address.host, address.port)}/metrics`);
  return server;
}
