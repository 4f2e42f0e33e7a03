import { Injectable } from '@nestjs/common';
import { BackgroundTasks, repeat, Sweep } from '../process/background-tasks.js';
import { ExpiryRepository } from './expiry.repository.js';

/** Removes expired causes in every instance, and records their end in the ledger, within a minute. */
@Injectable()
export class ExpirySweep extends Sweep {
  constructor(
    private readonly expiry: ExpiryRepository,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 15_000, failure: 'expired suppressions were not removed' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    for (const accountId of await this.expiry.findAccounts()) {
      await repeat(() => this.expiry.endSome(accountId), stopping);
    }
  }
}
