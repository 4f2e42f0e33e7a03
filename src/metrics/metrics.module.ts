import { Global, Module, type DynamicModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { PoolMetrics } from './pool-metrics.js';
import { TaskMetrics } from './task-metrics.js';

/** Global, since every feature counts what it does. */
@Global()
@Module({})
export class MetricsModule {
  static forRoot({ HOST, METRICS_PORT }: { HOST: string; METRICS_PORT?: number }): DynamicModule {
    return {
      module: MetricsModule,
      providers: [
        Metrics,
        PoolMetrics,
        TaskMetrics,
        {
          provide: MetricsServer,
          inject: [Metrics, HttpAdapterHost],
          useFactory: (metrics: Metrics, adapterHost: HttpAdapterHost) =>
            new MetricsServer(metrics, HOST, METRICS_PORT, adapterHost),
        },
      ],
      exports: [Metrics],
    };
  }
}
