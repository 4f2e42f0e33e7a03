import { Injectable } from '@nestjs/common';
import { BackgroundTasks, repeat, Sweep } from '../process/background-tasks.js';
import { TotalsUpkeepRepository, type DueAccount } from './totals-upkeep.repository.js';

/** Keeps the totals of all accounts, in every instance. Reads add the changes that it has not reached, so it may be late. */
@Injectable()
export class TotalsSweep extends Sweep {
  constructor(
    private readonly totals: TotalsUpkeepRepository,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 15_000, failure: 'the totals of the lists were not updated' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    for (const due of await this.totals.findDue()) {
      await this.update(due, stopping).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) {
      throw errors[0];
    }
  }

  private async update({ accountId, isCounted }: DueAccount, stopping: AbortSignal): Promise<void> {
    if (!stopping.aborted && (!isCounted || (await this.totals.forgetIfBehind(accountId)))) {
      await this.totals.countRecords(accountId, stopping);
    }
    await repeat(() => this.totals.addPending(accountId, stopping), stopping);
    await repeat(() => this.totals.addChanges(accountId, stopping), stopping);
  }
}
