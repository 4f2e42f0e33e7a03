import { Injectable } from '@nestjs/common';
import { BackgroundTasks, repeat, Sweep } from '../process/background-tasks.js';
import { FeedRepository } from './feed.repository.js';

/**
 * Assigns positions to the changes of accounts that nobody follows, so that their first reader does not wait for millions of
 * changes.
 */
@Injectable()
export class FeedSweep extends Sweep {
  constructor(
    private readonly feed: FeedRepository,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 60_000, failure: 'changes did not get their positions' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const accounts = await this.feed.findPendingAccounts();
    await this.forEvery(accounts, stopping, ({ accountId }) =>
      repeat(() => this.feed.numberPending(accountId), stopping),
    );
  }
}
