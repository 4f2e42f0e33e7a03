import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { inStep, transactionBefore } from '../../database/transaction.js';
import { BackgroundTasks, Sweep } from '../../process/background-tasks.js';
import { PlansRepository } from './plans.repository.js';
import { IS_ACTIVE, ProviderList } from '../provider-list.entity.js';

/** When to look again at a list whose plan is still in progress. */
const BUSY_MS = 5 * 60_000;

const IS_DUE = `list.next_run_at <= now() AND list.deleted_at IS NULL AND list.stopped_at IS NULL AND ${IS_ACTIVE}`;

interface DueList {
  accountId: number;
  id: string;
}

/** Finds the lists that have waited longest. The next pass handles the rest. */
const FIND_DUE = new PreparedStatement<DueList>(
  'find-due-provider-lists',
  `SELECT account_id AS "accountId", id
  FROM provider_lists AS list
  WHERE ${IS_DUE}
  ORDER BY next_run_at
  LIMIT 1000`,
);

@Injectable()
export class ScheduledPlans extends Sweep {
  constructor(
    tasks: BackgroundTasks,
    private readonly dataSource: DataSource,
    private readonly plans: PlansRepository,
  ) {
    super(tasks, { intervalMs: 30_000, failure: 'the scheduled plans of provider lists were not made' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const due = await FIND_DUE.run(this.dataSource, []);
    await this.forEvery(due, stopping, ({ accountId, id }) => this.plan(accountId, id));
  }

  /** Makes a single plan even if several instances find the list. */
  private plan(accountId: number, id: string): Promise<void> {
    return transactionBefore(this.dataSource, inStep(accountId), async (transaction) => {
      const list = await transaction
        .createQueryBuilder(ProviderList, 'list')
        .where('list.account_id = :accountId AND list.id = :id', { accountId, id })
        .andWhere(IS_DUE)
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getOne();
      if (!list) {
        return;
      }
      const nextRunAt = (await this.plans.isInProgress(list, transaction))
        ? new Date(Date.now() + BUSY_MS)
        : await this.plans.findReviewEnd(list, transaction);
      if (nextRunAt) {
        await transaction.update(ProviderList, { accountId, id }, { nextRunAt });
      } else {
        await this.plans.create(list, true, transaction);
      }
    });
  }
}
