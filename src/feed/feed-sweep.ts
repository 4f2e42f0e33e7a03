import { Injectable, Logger } from '@nestjs/common';
import { BackgroundTasks, repeat, Sweep } from '../process/background-tasks.js';
import { FeedRepository } from './feed.repository.js';

/**
 * Assigns positions to the changes of accounts that nobody follows, so that their first reader does not wait for millions of
 * changes.
 */
@Injectable()
export class FeedSweep extends Sweep {
  private readonly logger = new Logger(FeedSweep.name);

  constructor(
    private readonly feed: FeedRepository,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 60_000, failure: 'could not number the changes of all accounts' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    for (const accountId of await this.feed.findPendingAccounts()) {
      try {
        await repeat(() => this.feed.numberPending(accountId), stopping);
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
