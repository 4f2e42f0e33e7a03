import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Raw, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { Account } from '../../accounts/account.entity.js';
import { inStep, transactionBefore } from '../../database/transaction.js';
import type { JobKey } from '../../jobs/job-handler.js';
import { JobsRepository } from '../../jobs/jobs.repository.js';
import { ProviderListPlan } from './provider-list-plan.entity.js';
import { ProviderList } from '../provider-list.entity.js';
import { ProviderListPush } from '../push/provider-list-push.entity.js';
import { completePlan, failPlan } from './complete-plan.js';

export interface PlanOfList {
  plan: ProviderListPlan;
  list: ProviderList;
}

const HOUR_MS = 60 * 60 * 1000;
const REVIEW_MS = HOUR_MS;

@Injectable()
export class PlansRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: JobsRepository,
  ) {}

  /** The plan that a job is working on. Null if it was discarded, or another job is working on it. */
  async findByJob(
    { accountId, id: jobId }: JobKey,
    on: EntityManager = this.dataSource.manager,
  ): Promise<PlanOfList | null> {
    const deletedAt = IsNull();
    const plan = await on.findOneBy(ProviderListPlan, { accountId, jobId, deletedAt });
    const list =
      plan && (await on.findOneBy(ProviderList, { accountId, id: plan.providerListId, deletedAt }));
    return plan && list && { plan, list };
  }

  /** Locks the list, so that neither it nor the plan changes before the transaction ends. */
  async lockByJob(job: JobKey, transaction: EntityManager): Promise<PlanOfList | null> {
    await transaction.query(
      `SELECT FROM provider_lists
      WHERE account_id = $1
        AND id = (SELECT provider_list_id FROM provider_list_plans WHERE account_id = $1 AND job_id = $2)
      FOR UPDATE`,
      [job.accountId, job.id],
    );
    return this.findByJob(job, transaction);
  }

  /**
   * Whether a plan of a list is being compared, applied, or pushed. A plan whose job has ended without it has failed.
   *
   * @param list - a locked list
   */
  async isInProgress(list: ProviderList, transaction: EntityManager): Promise<boolean> {
    const { accountId, id: providerListId } = list;
    const status = In(['comparing', 'applying']);
    const plan = await transaction.findOneBy(ProviderListPlan, { accountId, providerListId, status });
    if (
      !plan ||
      list.pushingPlanId === plan.id ||
      (await this.jobs.isPending(accountId, plan.jobId, transaction))
    ) {
      return plan !== null;
    }
    await this.fail({ plan, list }, transaction);
    return false;
  }

  /**
   * Until when the next scheduled plan is postponed, so that a person can review the last plan that somebody made; null if it
   * is not. Making plans repeatedly postpones it only once.
   *
   * @param list - a locked list
   */
  async findReviewEnd(
    { accountId, id: providerListId, intervalHours, createdAt }: ProviderList,
    transaction: EntityManager,
  ): Promise<Date | null> {
    const order = { id: 'DESC' } as const;
    const status = In(['ready', 'stopped']);
    const made = { accountId, providerListId, status, isScheduled: false, deletedAt: IsNull() };
    const plan = await transaction.findOne(ProviderListPlan, { where: made, order });
    if (!plan) {
      return null;
    }
    const scheduled = { accountId, providerListId, isScheduled: true };
    const last = await transaction.findOne(ProviderListPlan, { where: scheduled, order });
    const dueAt = (last?.createdAt ?? createdAt).getTime() + intervalHours * HOUR_MS;
    const end = Math.min(plan.readyAt!.getTime(), dueAt) + REVIEW_MS;
    return end > Date.now() ? new Date(end) : null;
  }

  /**
   * Creates a plan with its job. Earlier plans can no longer be applied.
   *
   * @param list - a locked list
   */
  async create(list: ProviderList, isScheduled: boolean, transaction: EntityManager): Promise<string> {
    const { accountId, id: providerListId, intervalHours } = list;
    const id = uuidv7();
    await transaction.update(
      ProviderListPlan,
      { accountId, providerListId, status: In(['ready', 'stopped']) },
      { status: 'expired' },
    );
    await transaction.insert(ProviderListPlan, { accountId, id, jobId: id, providerListId, isScheduled });
    if (isScheduled) {
      const nextRunAt = new Date(Date.now() + intervalHours * HOUR_MS);
      await transaction.update(ProviderList, { accountId, id: providerListId }, { nextRunAt });
    }
    await this.jobs.queue({ accountId, id, kind: 'compare', checkpoint: {} }, transaction);
    return id;
  }

  /**
   * Queues the job that applies a plan.
   *
   * @param how - `isAutomatic`: the plan changes the list here only while `pull` is on; `isPulling`: whether `pull` is
   *   currently on
   */
  async startApplying(
    accountId: number,
    planId: string,
    how: { isAutomatic: boolean; isPulling: boolean },
    transaction: EntityManager,
  ): Promise<void> {
    const jobId = uuidv7();
    await transaction.update(
      ProviderListPlan,
      { accountId, id: planId },
      { status: 'applying', jobId, applied: 0, skipped: 0, reason: null },
    );
    await this.jobs.queue({ accountId, id: jobId, kind: 'pull', checkpoint: how }, transaction);
  }

  /**
   * Ends the plan whose changes are being pushed, if each change has been tried.
   *
   * @param failure - why the plan ends even if some changes have not been tried; these are sent when the list resumes
   */
  async endPushing({ accountId, id }: ProviderList, failure: string | null = null): Promise<void> {
    await transactionBefore(this.dataSource, inStep(accountId), async (transaction) => {
      const list = await transaction.findOne(ProviderList, {
        where: { accountId, id },
        lock: { mode: 'pessimistic_write' },
      });
      const planId = list?.pushingPlanId;
      if (!planId) {
        return;
      }
      const untried = { accountId, providerListId: id, planId, status: 'pending', attempts: 0 } as const;
      if (failure === null && (await transaction.existsBy(ProviderListPush, untried))) {
        return;
      }
      await transaction.update(ProviderList, { accountId, id }, { pushingPlanId: null });
      await (failure === null
        ? completePlan(list, planId, transaction)
        : failPlan(list, planId, failure, transaction));
    });
  }

  /** Fails the plan of a job that failed, unless the plan was discarded meanwhile. */
  async failByJob(job: JobKey, transaction: EntityManager): Promise<void> {
    const found = await this.lockByJob(job, transaction);
    if (found) {
      await this.fail(found, transaction);
    }
  }

  /** Marks a plan as failed, with the error of its job as the reason. */
  private async fail({ plan, list }: PlanOfList, transaction: EntityManager): Promise<void> {
    const { accountId, jobId } = plan;
    const [job] = (await transaction.query(
      `SELECT error ->> 'message' AS message FROM jobs WHERE account_id = $1 AND id = $2`,
      [accountId, jobId],
    )) as { message: string }[];
    const reason = job?.message ?? 'The job of this plan ended too early. Create another plan.';
    await failPlan(list, plan.id, reason, transaction);
  }

  /**
   * Stops a list whose credentials were refused.
   *
   * @returns false if the credentials have been replaced in the meantime
   */
  async stop(list: ProviderList, lastError: string): Promise<boolean> {
    const { accountId, id, credentials } = list;
    const { affected } = await this.dataSource.manager.update(
      ProviderList,
      {
        accountId,
        id,
        credentials: Raw((column) => `${column} = :read::jsonb`, { read: JSON.stringify(credentials) }),
      },
      { stoppedAt: new Date(), lastError },
    );
    if (affected! > 0) {
      await this.endPushing(list, lastError);
    }
    return affected! > 0;
  }

  isSuspended({ accountId }: ProviderList): Promise<boolean> {
    return this.dataSource.manager.existsBy(Account, { id: accountId, betaAdmittedAt: IsNull() });
  }

  /** Delays the next scheduled plan, or brings it forward. */
  async scheduleNext({ accountId, id }: ProviderList, delayMs: number): Promise<void> {
    const nextRunAt = new Date(Date.now() + delayMs);
    await this.dataSource.manager.update(ProviderList, { accountId, id }, { nextRunAt });
  }
}
