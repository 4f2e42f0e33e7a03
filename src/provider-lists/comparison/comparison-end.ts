import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import { ApiError } from '../../http/errors/api-error.js';
import { JobFailedError, JobInterruptedError, type JobKey } from '../../jobs/job-handler.js';
import { requireFreeScope } from '../list-checks.js';
import { ListCredentials } from '../list-credentials.js';
import { PlansRepository } from '../plans/plans.repository.js';
import { ProviderListPlan } from '../plans/provider-list-plan.entity.js';
import { ProviderList } from '../provider-list.entity.js';
import { costOf } from '../push/push-cost.js';
import type { Compared } from './comparison-batch.js';
import { EntriesRepository } from './entries.repository.js';

/** Who makes and applies the plans that an interval asks for. */
const SCHEDULER: Actor = { type: 'system', id: null, name: 'interval of the provider list' };

const REPLACED = 'The credentials were replaced while the list was read. Create another plan.';

export interface ComparedPlan extends Pick<Compared, 'counts' | 'pushedBounces'> {
  /** Identifies the list that was read. The credentials may have been replaced in the meantime. */
  scopeKey: string;
}

@Injectable()
export class ComparisonEnd {
  constructor(
    private readonly plans: PlansRepository,
    private readonly credentials: ListCredentials,
    private readonly entries: EntriesRepository,
  ) {}

  /**
   * A scheduled plan is applied immediately if the list pulls or pushes, unless the plan stopped. A list that pushes stays
   * stopped: that it can be read does not mean that it can be changed. A plan that is applied counts as a success only after
   * that, except for the first success, because nothing is pushed before it.
   */
  async finish(
    job: JobKey,
    { scopeKey, ...compared }: ComparedPlan,
    transaction: EntityManager,
  ): Promise<void> {
    const found = await this.plans.lockByJob(job, transaction);
    if (!found) {
      throw new JobInterruptedError();
    }
    const { plan, list } = found;
    await this.requireScope(list, scopeKey, transaction);
    const { accountId, id } = plan;
    const entries = await this.entries.count(accountId, id, transaction);
    const reason = await this.stopReason(list, { ...plan, entries }, transaction);
    const cost = await costOf(list, entries, compared, transaction);
    const changes = { entries, counts: compared.counts, reason, readyAt: new Date(), ...cost };
    await transaction.update(
      ProviderListPlan,
      { accountId, id },
      { ...changes, status: reason ? 'stopped' : 'ready' },
    );
    const isApplied = plan.isScheduled && (list.pull || list.pushAdditions || list.pushRemovals) && !reason;
    const isStopped = list.stoppedAt !== null && (list.pushAdditions || list.pushRemovals);
    await transaction.update(
      ProviderList,
      { accountId, id: list.id },
      {
        ...(!isStopped && { stoppedAt: null, ...(!isApplied && { lastError: reason }) }),
        ...(!reason && (!isApplied || list.lastSuccessAt === null) && { lastSuccessAt: new Date() }),
      },
    );
    if (isApplied) {
      const how = { isAutomatic: true, isPulling: list.pull };
      await this.plans.startApplying(accountId, id, how, transaction);
      const identity = { accountId, actor: SCHEDULER };
      await recordAudit(transaction, identity, 'provider_list.plan_applied', list, {
        plan: { from: null, to: id },
      });
    }
  }

  /** The first success claims the scope, unless another list already has it. */
  private async requireScope(
    list: ProviderList,
    scopeKey: string,
    transaction: EntityManager,
  ): Promise<void> {
    if (list.scopeKey !== scopeKey) {
      throw new JobFailedError('credentials_replaced', REPLACED);
    }
    if (list.lastSuccessAt !== null) {
      return;
    }
    try {
      const keys = this.credentials.scopeKeysOf(list, this.credentials.decrypt(list));
      await requireFreeScope(list, keys, transaction);
    } catch (error) {
      throw error instanceof ApiError ? new JobFailedError(error.code, error.message) : error;
    }
  }

  /**
   * The reason why a plan must wait for a person: a provider's list that is suddenly almost empty, or whose credentials were
   * replaced and which lacks nine tenths of the known entries, is probably the wrong one. Entries that this service has removed
   * since the last plan was applied are no longer stored.
   */
  private async stopReason(
    { basePlanId, lastSuccessAt }: ProviderList,
    { accountId, id, entries: now }: ProviderListPlan,
    transaction: EntityManager,
  ): Promise<string | null> {
    const base = basePlanId && (await transaction.findOneBy(ProviderListPlan, { accountId, id: basePlanId }));
    if (!base) {
      return null;
    }
    const { entries: before } = base;
    if (
      isAtMostATenth(now, before) &&
      isAtMostATenth(now, await this.entries.count(accountId, base.id, transaction))
    ) {
      return `The provider had ${entriesOf(before)} when a plan was last applied, and has ${now.toLocaleString('en')} now.`;
    }
    if (lastSuccessAt !== null) {
      return null;
    }
    const { known, found } = await this.entries.countFoundAgain(accountId, base.id, id, transaction);
    return isAtMostATenth(found, known)
      ? `The credentials were replaced. The service looked for ${entriesOf(known)} of the last applied plan, and found ${found}.`
      : null;
  }
}

/** If at most a tenth of the known entries is left, the list is probably another one. */
function isAtMostATenth(now: number, known: number): boolean {
  return known > 0 && now * 10 <= known;
}

function entriesOf(count: number): string {
  return count === 1 ? '1 entry' : `${count.toLocaleString('en')} entries`;
}
