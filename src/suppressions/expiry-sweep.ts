import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BackgroundTask } from '../process/background-task.js';
import { ExpiryRepository } from './expiry.repository.js';

/** An expired cause is removed, and its end recorded in the ledger, within a minute. */
const INTERVAL_MS = 15_000;

/** Removes expired causes in the background, in every instance. */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ExpirySweep.name);
  private readonly task = new BackgroundTask(
    INTERVAL_MS,
    (stopping) => this.sweep(stopping),
    () => this.logger.warn('expired suppressions were not removed; the next sweep tries again'),
  );

  constructor(
    private readonly expiry: ExpiryRepository,
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
    for (const accountId of await this.expiry.findAccounts()) {
      while (!stopping.aborted && (await this.expiry.endSome(accountId))) {
        // The next batch follows.
      }
    }
  }
}
