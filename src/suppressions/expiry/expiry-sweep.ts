import { Injectable } from '@nestjs/common';
import type { BackgroundTask } from '../../process/background-task.js';
import { BackgroundTasks } from '../../process/background-tasks.js';
import { ExpiryRepository } from './expiry.repository.js';

/** Removes expired causes in every instance, and records their end in the ledger, within a minute. */
@Injectable()
export class ExpirySweep {
  private readonly task: BackgroundTask;

  constructor(
    private readonly expiry: ExpiryRepository,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: ExpirySweep.name,
      intervalMs: 15_000,
      failure: 'expired suppressions were not removed',
      run: (stopping) => this.sweep(stopping),
    });
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
