import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { Actor } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import { ApiError } from '../../http/errors/api-error.js';
import { JobFailedError, JobInterruptedError, type RunningJob } from '../../jobs/job-handler.js';
import { requireFreeScope } from '../list-checks.js';
import { ListCredentials } from '../list-credentials.js';
import type { LineKind } from '../plans/line-kinds.js';
import { PlansRepository } from '../plans/plans.repository.js';
import { ProviderListLine } from '../plans/provider-list-line.entity.js';
import { ProviderListPlan } from '../plans/provider-list-plan.entity.js';
import { ProviderList } from '../provider-list.entity.js';
import type { ListChanges } from '../providers/provider.js';
import { listProviderOf } from '../providers/providers.js';
import { removalCap } from '../push/push-conditions.js';
import { INCIDENT_SECONDS } from '../push/push-states.repository.js';
import { EntriesRepository } from './entries.repository.js';

/** Who makes and applies the plans that an interval asks for. */
const SCHEDULER: Actor = { type: 'system', id: null, name: 'interval of the provider list' };

/** A list is probably another one if it has at most one in this many of the known entries. */
const FEW = 10;

/**
 * A change takes two requests, because the entry is looked up first. `REQUEST_MS` is about the time of a request to a provider
 * without a pace.
 */
const REQUESTS = 2;
const REQUEST_MS = 100;

const REPLACED = 'The credentials were replaced while the list was read. Create another plan.';

export interface ComparedPlan {
  /** Identifies the list that was read. The credentials may have been replaced in the meantime. */
  scopeKey: string;
  counts: Partial<Record<LineKind, number>>;
}

/** Completes a successful comparison. */
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
    job: Pick<RunningJob, 'accountId' | 'id'>,
    { counts, scopeKey }: ComparedPlan,
    transaction: EntityManager,
  ): Promise<void> {
    const found = await this.plans.lockByJob(job.accountId, job.id, transaction);
    if (!found) {
      throw new JobInterruptedError();
    }
    const { plan, list } = found;
    await this.requireScope(list, scopeKey, transaction);
    const { accountId, id } = plan;
    const entries = await this.entries.count(accountId, id, transaction);
    const reason = await this.stopReason(list, { ...plan, entries }, transaction);
    const waits = list.pushAdditions && (await this.waitsForIncidents(plan, transaction));
    const cost = costOf(list, entries, counts, waits);
    const changes = { entries, counts, reason, readyAt: new Date(), ...cost };
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
   * The reason why a plan must wait for a person: a provider's list that is suddenly almost empty, or that other credentials
   * read and that has few of the known entries, is probably the wrong one. Entries that this service has removed since the last
   * plan was applied are no longer stored.
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
    if (isFew(now, before) && isFew(now, await this.entries.count(accountId, base.id, transaction))) {
      return `The provider had ${before} entries when a plan was last applied, and has ${now} now.`;
    }
    if (lastSuccessAt !== null) {
      return null;
    }
    const { known, found } = await this.entries.countFoundAgain(accountId, base.id, id, transaction);
    return isFew(found, known)
      ? `The credentials were replaced. Of ${known} entries that the provider had when a plan was last applied, it has ${found} now.`
      : null;
  }

  /** Whether a plan adds bounces at the provider, and the account lets incidents hold them first. */
  private async waitsForIncidents(
    { accountId, id: planId }: ProviderListPlan,
    transaction: EntityManager,
  ): Promise<boolean> {
    const { incidentGuard } = await transaction.findOneByOrFail(Account, { id: accountId });
    const bounces = { accountId, planId, kind: 'push', cause: 'bounce' } as const;
    return incidentGuard === 'hold' && transaction.existsBy(ProviderListLine, bounces);
  }
}

function isFew(now: number, known: number): boolean {
  return known > 0 && now * FEW <= known;
}

/**
 * The time that applying a plan takes at the provider, and the number of removals beyond the cap.
 *
 * @param waits - whether additions wait so that an incident can hold them first
 */
function costOf(
  { provider, pushAdditions, pushRemovals }: ProviderList,
  entries: number,
  counts: Partial<Record<LineKind, number>>,
  waits: boolean,
): Pick<ProviderListPlan, 'capped' | 'pushSeconds'> {
  const { add, remove } = listProviderOf(provider);
  const additions = pushAdditions ? (counts.push ?? 0) : 0;
  const wanted = pushRemovals ? (counts.remove ?? 0) : 0;
  const removals = Math.min(wanted, removalCap(entries));
  const milliseconds = durationOf(additions, add) + durationOf(removals, remove);
  const waitSeconds = waits ? INCIDENT_SECONDS : 0;
  return { capped: wanted - removals, pushSeconds: Math.ceil(milliseconds / 1_000) + waitSeconds };
}

function durationOf(changes: number, how: ListChanges | undefined): number {
  return how ? changes * REQUESTS * Math.max(how.pace.ms, REQUEST_MS) : 0;
}
