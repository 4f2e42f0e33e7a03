import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BackgroundTask } from '../process/background-task.js';
import { FeedRepository } from './feed.repository.js';

const INTERVAL_MS = 60_000;

/** Numbers the changes of accounts that nobody follows, so that their first reader does not wait for millions of them. */
@Injectable()
export class FeedSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(FeedSweep.name);
  private readonly task = new BackgroundTask(
    INTERVAL_MS,
    (stopping) => this.sweep(stopping),
    () => this.logger.warn('changes got no positions in the feed; the next sweep tries again'),
  );

  constructor(
    private readonly feed: FeedRepository,
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
    for (const accountId of await this.feed.findPendingAccounts()) {
      try {
        while (!stopping.aborted && (await this.feed.numberPending(accountId))) {
          // The next pass follows.
        }
      } catch (error) {
        this.logger.warn({
          msg: 'changes of an account got no positions in the feed; the next sweep tries again',
          accountId,
          error: (error as Error).name,
        });
      }
    }
  }
}
