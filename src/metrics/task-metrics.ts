import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { BackgroundTasks } from '../process/background-tasks.js';
import { Metrics } from './metrics.js';

/** Shows background tasks that fail each time, such as on one account. */
@Injectable()
export class TaskMetrics {
  constructor({ registry }: Metrics, tasks: BackgroundTasks) {
    const gauge: Gauge = new Gauge({
      name: 'suppression_list_background_task_failures',
      help: 'Runs of a background task that failed, at least in part, since one succeeded',
      labelNames: ['task'],
      aggregator: 'max',
      registers: [registry],
      collect: () => tasks.failures.forEach((number, task) => gauge.set({ task }, number)),
    });
  }
}
