import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BackgroundTask } from '../process/background-task.js';
import { HeldWebhooksRepository } from './held-webhooks.repository.js';

const INTERVAL_MS = 60_000;

/** Deletes deliveries that are over for 30 days. */
@Injectable()
export class DeliverySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliverySweep.name);
  private readonly task = new BackgroundTask(
    INTERVAL_MS,
    (stopping) => this.sweep(stopping),
    () => this.logger.warn('old webhook deliveries were not deleted; the next sweep tries again'),
  );

  constructor(
    private readonly repository: HeldWebhooksRepository,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Commands have no HTTP server, and do not sweep. */
  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.task.start();
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  run(): Promise<void> {
    return this.task.run();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.repository.deleteExpired())) {
      // The next batch follows.
    }
  }
}
