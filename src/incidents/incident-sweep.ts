import { Injectable } from '@nestjs/common';
import { RecentAccounts } from '../accounts/recent-accounts.js';
import { LONGEST_WRITE_MS } from '../database/transaction.js';
import { BackgroundTasks, repeat, Sweep } from '../process/background-tasks.js';
import { CountingService } from './counting.service.js';
import { HoldingService } from './holding.service.js';
import { IncidentWatches } from './watches.js';

/**
 * Watches the bounces of all accounts. The instance that stored the events counts them within half a minute. In addition, each
 * instance visits all accounts, in rounds if there are very many.
 */
@Injectable()
export class IncidentSweep extends Sweep {
  constructor(
    private readonly watches: IncidentWatches,
    private readonly recentAccounts: RecentAccounts,
    private readonly counting: CountingService,
    private readonly holding: HoldingService,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 15_000, failure: 'the bounces were not watched for incidents' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const { ids } = this.recentAccounts;
    const startedAt = performance.now();
    const due = await this.watches.findDue(ids);
    if (await this.forEvery(due, stopping, ({ accountId }) => this.watch(accountId, stopping))) {
      this.recentAccounts.forgetBefore(startedAt - 2 * LONGEST_WRITE_MS);
    }
  }

  private async watch(accountId: number, stopping: AbortSignal): Promise<void> {
    await repeat(() => this.counting.count(accountId), stopping);
    await repeat(() => this.holding.hold(accountId), stopping);
    if (!stopping.aborted) {
      await this.holding.close(accountId);
    }
    await repeat(() => this.holding.settle(accountId), stopping);
    await repeat(() => this.counting.sumUpDay(accountId), stopping);
  }
}
