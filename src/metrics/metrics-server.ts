import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { collectDefaultMetrics } from 'prom-client';
import { httpUrl, listeningAt } from '../http/listening-at.js';
import { OperatorError } from '../process/operator-error.js';
import type { Metrics } from './metrics.js';

/** Serves `GET /metrics` on a port of its own, which the public does not reach. */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server?: Server;

  constructor(
    private readonly metrics: Metrics,
    private readonly host: string,
    private readonly port: number | undefined,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  get url(): string | undefined {
    const address = this.server && listeningAt(this.server);
    return address && `${httpUrl(address.host, address.port)}/metrics`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const isCommand = !this.adapterHost.httpAdapter;
    if (this.port === undefined || isCommand) {
      return;
    }
    collectDefaultMetrics({ register: this.metrics.registry });
    this.server = createServer((request, response) => void this.respond(request, response));
    this.server.listen(this.port, this.host);
    await once(this.server, 'listening').catch((error: Error) => {
      throw new OperatorError(`METRICS_PORT cannot be used: ${error.message}`);
    });
    new Logger(MetricsServer.name).log(`metrics at ${this.url}`);
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const { registry } = this.metrics;
    response.setHeader('Content-Type', registry.contentType);
    response.end(await registry.metrics());
  }
}
