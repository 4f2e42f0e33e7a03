import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExpiryRepository } from './expiry.repository.js';

/** An expired cause is removed, and its end recorded in the ledger, within a minute. */
const INTERVAL_MS = 15_000;

/** Removes expired causes in the background. Every instance does; none waits for another. */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ExpirySweep.name);
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;
  private isStopping = false;

  constructor(
    private readonly expiry: ExpiryRepository,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Commands have no HTTP server, and do not sweep. */
  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.timer = setInterval(() => void this.run(), INTERVAL_MS);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.isStopping = true;
    await this.running;
  }

  /** Sweeps now, unless a sweep is running. A sweep that fails is repeated at the next interval. */
  run(): Promise<void> {
    this.running ??= this.sweep()
      .catch(() => this.logger.warn('expired suppressions were not removed; the next sweep tries again'))
      .finally(() => (this.running = undefined));
    return this.running;
  }

  private async sweep(): Promise<void> {
    for (const accountId of await this.expiry.findAccounts()) {
      while (!this.isStopping && (await this.expiry.endSome(accountId))) {
        // The next batch follows.
      }
    }
  }
}
