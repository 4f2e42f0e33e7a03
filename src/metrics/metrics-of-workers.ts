import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';
import { AggregatorRegistry, type Registry } from 'prom-client';
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

/** Lets the primary process read the metrics of this worker. */
export function offerMetrics(registry: Registry): AggregatorRegistry<typeof registry.contentType> {
  AggregatorRegistry.setRegistries([registry]);
  return new AggregatorRegistry();
}

/**
 * Serves the sum of the metrics of all workers.
 *
 * @returns a function that ends it
 */
export async function serveMetricsOfWorkers({
  HOST,
  METRICS_PORT,
}: {
  HOST: string;
  METRICS_PORT?: number;
}): Promise<() => void> {
  if (METRICS_PORT === undefined || !cluster.isPrimary) {
    return () => undefined;
  }
  const registry = new AggregatorRegistry();
  const server = await listenForMetrics(HOST, METRICS_PORT, registry.contentType, () =>
    registry.clusterMetrics(),
  );
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
