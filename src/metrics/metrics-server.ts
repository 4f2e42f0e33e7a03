import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { totalmem } from 'node:os';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { httpUrl, listenAddressOf } from '../http/server/listen-address.js';
import { listenForMetrics, offerMetrics } from './metrics-of-workers.js';
import type { Metrics } from './metrics.js';

/** Serves the metrics of this instance, or leaves them to the primary process if this is a worker. */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server?: Server;

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
      offerMetrics(registry);
    } else {
      this.server = await listenForMetrics(this.host, this.port, registry.contentType, () =>
        registry.metrics(),
      );
    }
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}

/** Node.js 20 returns nothing where there is no limit, later versions a number larger than the machine. */
function memoryLimit(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}
