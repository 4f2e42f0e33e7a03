import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { totalmem } from 'node:os';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { httpUrl, listenAddressOf } from '../http/server/listen-address.js';
import { OperatorError } from '../process/operator-error.js';
import { reportMetrics, type MetricsOfWorkers } from './metrics-of-workers.js';
import type { Metrics } from './metrics.js';
import { serveMetrics } from './serve-metrics.js';

/** Serves the metrics of this instance, or leaves them to the primary process if this is a worker. */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server?: Server;
  private reportLast?: () => Promise<void>;

  constructor(
    private readonly metrics: Metrics,
    private readonly host: string,
    private readonly port: number | undefined,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  get url(): string | undefined {
    const address = this.server && listenAddressOf(this.server);
    return address && `${httpUrl(address.host, address.port)}/metrics`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const isCommand = !this.adapterHost.httpAdapter;
    if (this.port === undefined || isCommand) {
      return;
    }
    const { registry } = this.metrics;
    collectDefaultMetrics({ register: registry });
    new Gauge({
      name: 'suppression_list_memory_limit_bytes',
      help: 'Memory that the instance and its workers may use: the limit of the container, or else the memory of the machine',
      aggregator: 'max',
      registers: [registry],
    }).set(memoryLimit());
    if (cluster.isWorker) {
      this.reportLast = reportMetrics(registry);
    } else {
      this.server = await listenForMetrics(this.host, this.port, registry.contentType, () =>
        registry.metrics(),
      );
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reportLast?.();
    this.server?.close();
    this.server?.closeAllConnections();
  }
}

/** Node.js 20 returns nothing where there is no limit, later versions a number larger than the machine. */
function memoryLimit(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}

/** Serves `GET /metrics` on a separate port, which is not public. */
async function listenForMetrics(
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

/**
 * Serves the sum of the metrics of all workers.
 *
 * @returns a function that ends it
 */
export async function serveMetricsOfWorkers(
  { HOST, METRICS_PORT }: { HOST: string; METRICS_PORT?: number },
  metrics: MetricsOfWorkers,
): Promise<() => void> {
  if (METRICS_PORT === undefined || !cluster.isPrimary) {
    return () => undefined;
  }
  const server = await listenForMetrics(HOST, METRICS_PORT, Registry.PROMETHEUS_CONTENT_TYPE, () =>
    metrics.read(),
  );
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
