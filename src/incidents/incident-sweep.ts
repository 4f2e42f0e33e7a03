import { Injectable } from '@nestjs/common';
import { RecentAccounts } from '../accounts/recent-accounts.js';
import { LONGEST_WRITE_MS } from '../database/transaction.js';
import type { BackgroundTask } from '../process/background-task.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { CountingService } from './counting.service.js';
import { HoldingService } from './holding.service.js';
import { IncidentsRepository } from './incidents.repository.js';

/**
 * Watches the bounces of all accounts: in the instance that stored the events within half a minute of their reports, and in each
 * instance, if there are very many accounts, in rounds.
 */
@Injectable()
export class IncidentSweep {
  private readonly task: BackgroundTask;

  constructor(
    private readonly incidents: IncidentsRepository,
    private readonly recentAccounts: RecentAccounts,
    private readonly counting: CountingService,
    private readonly holding: HoldingService,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: IncidentSweep.name,
      intervalMs: 15_000,
      failure: 'the bounces were not watched for incidents',
      run: (stopping) => this.sweep(stopping),
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    const { ids } = this.recentAccounts;
    const startedAt = performance.now();
    const due = await this.incidents.findDue(ids, LONGEST_WRITE_MS);
    for (const accountId of due) {
      await this.watch(accountId, stopping).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) {
      throw errors[0];
    }
    this.recentAccounts.forgetBefore(startedAt - 2 * LONGEST_WRITE_MS);
  }

  private async watch(accountId: number, stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.counting.count(accountId))) {
      // The next events follow.
    }
    while (!stopping.aborted && (await this.holding.hold(accountId))) {
      // The next bounces follow.
    }
    if (!stopping.aborted) {
      await this.holding.close(accountId);
    }
    while (!stopping.aborted && (await this.holding.settle(accountId))) {
      // The next bounces follow.
    }
    while (!stopping.aborted && (await this.counting.sumUpDay(accountId))) {
      // The next days follow.
    }
  }
}
