import { Injectable, Logger } from '@nestjs/common';
import type { BackgroundTask } from '../process/background-task.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { FeedRepository } from './feed.repository.js';

/** Numbers the changes of accounts that nobody follows, so that their first reader does not wait for millions of them. */
@Injectable()
export class FeedSweep {
  private readonly logger = new Logger(FeedSweep.name);
  private readonly task: BackgroundTask;

  constructor(
    private readonly feed: FeedRepository,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: FeedSweep.name,
      intervalMs: 60_000,
      failure: 'could not number the changes of all accounts',
      run: (stopping) => this.sweep(stopping),
    });
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
          msg: 'could not number the changes of an account; the next run tries again',
          accountId,
          error: (error as Error).name,
        });
      }
    }
  }
}
