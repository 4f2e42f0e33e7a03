import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';
import { httpUrl, listenAddressOf } from '../http/server/listen-address.js';
import { OperatorError } from '../process/operator-error.js';
import { serveMetrics } from './serve-metrics.js';

/** Serves `GET /metrics` on a separate port, which is not public. */
export async function listenForMetrics(
  host: string,
  port: number,
  contentType: string,
  read: () => Promise<string>,
): Promise<Server> {
  const server = await serveMetrics({ host, port }, contentType, read).catch((error: Error) => {
    throw new OperatorError(`METRICS_PORT cannot be used: ${error.message}`);
  });
  const address = listenAddressOf(server);
  new Logger('MetricsServer').log(`metrics at ${httpUrl(address.host, address.port)}/metrics`);
  return server;
}
