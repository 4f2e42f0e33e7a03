import { Injectable } from '@nestjs/common';
import type { BackgroundTask } from '../process/background-task.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { TotalsUpkeepRepository, type DueAccount } from './totals-upkeep.repository.js';

/** Keeps the totals of all accounts, in every instance. Reads add the changes that it has not reached, so it may be late. */
@Injectable()
export class TotalsSweep {
  private readonly task: BackgroundTask;

  constructor(
    private readonly totals: TotalsUpkeepRepository,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: TotalsSweep.name,
      intervalMs: 15_000,
      failure: 'the totals of the lists were not updated',
      run: (stopping) => this.sweep(stopping),
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
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
    while (!stopping.aborted && (await this.totals.addPending(accountId, stopping))) {
      // The next records follow.
    }
    while (!stopping.aborted && (await this.totals.addChanges(accountId, stopping))) {
      // The next changes follow.
    }
  }
}
