import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { listenForMetrics } from './listen-for-metrics.js';

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
