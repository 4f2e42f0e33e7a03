import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, Repository, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import type { RequestContext } from '../../audit/request-context.js';
import { transactionBefore } from '../../database/transaction.js';
import { requireFound } from '../../http/errors/api-error.js';
import { findPage, type Cursor, type Page } from '../../http/page.js';
import { JobRunner } from '../../jobs/job-runner.js';
import { JobsRepository } from '../../jobs/jobs.repository.js';
import { PlanInProgressError, PlanNotFoundError, PlanStatusError, PlanStoppedError } from '../errors.js';
import { LinesRepository, type FoundLine, type LinesQuery } from './lines.repository.js';
import { PlansRepository } from './plans.repository.js';
import { ProviderListPlan } from './provider-list-plan.entity.js';
import { ProviderList } from '../provider-list.entity.js';
import { lockList, ProviderListsService, WITHDRAWN } from '../provider-lists.service.js';

const VALID_MS = 24 * 60 * 60 * 1000;

@Injectable()
export class PlansService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(ProviderListPlan) private readonly plans: Repository<ProviderListPlan>,
    private readonly repository: PlansRepository,
    private readonly foundLines: LinesRepository,
    private readonly lists: ProviderListsService,
    private readonly jobs: JobsRepository,
    private readonly runner: JobRunner,
  ) {}

  /**
   * Queues a comparison.
   *
   * @throws {ProviderListNotFoundError | PlanInProgressError}
   */
  async create(context: RequestContext, listId: string): Promise<ProviderListPlan> {
    const { accountId } = context;
    const created = await transactionBefore(this.dataSource, context, async (transaction) => {
      const list = await lockList(accountId, listId, transaction);
      if (await this.repository.isInProgress(list, transaction)) {
        throw new PlanInProgressError();
      }
      const id = await this.repository.create(list, false, transaction);
      const changes = { plan: { from: null, to: id } };
      await recordAudit(transaction, context, 'provider_list.plan_created', list, changes);
      return transaction.findOneByOrFail(ProviderListPlan, { accountId, id });
    });
    this.runner.wake();
    return created;
  }

  /** @throws {ProviderListNotFoundError | PlanNotFoundError} */
  async get(accountId: number, listId: string, id: string): Promise<ProviderListPlan> {
    await this.lists.find(accountId, listId);
    const where = { accountId, id, providerListId: listId, deletedAt: IsNull() };
    return requireFound(await this.plans.findOneBy(where), PlanNotFoundError);
  }

  /**
   * Newest first.
   *
   * @throws {ProviderListNotFoundError}
   */
  async page(accountId: number, listId: string, cursor: Cursor): Promise<Page<ProviderListPlan>> {
    await this.lists.find(accountId, listId);
    return findPage(this.plans, [{ accountId, providerListId: listId, deletedAt: IsNull() }], cursor);
  }

  /**
   * Reads the lines of a plan, sorted by kind and address.
   *
   * @throws {ProviderListNotFoundError | PlanNotFoundError | KeptBlocksUnreadableError | ValidationError}
   */
  async lines(accountId: number, listId: string, id: string, query: LinesQuery): Promise<Page<FoundLine>> {
    await this.get(accountId, listId, id);
    return this.foundLines.page(accountId, id, query);
  }

  /**
   * Queues the changes of a plan. Has no effect on a plan that is being applied or was applied.
   *
   * @throws {ProviderListNotFoundError | PlanNotFoundError | PlanStatusError | PlanStoppedError}
   */
  async apply(
    context: RequestContext,
    listId: string,
    id: string,
    acceptsStop: boolean,
  ): Promise<ProviderListPlan> {
    const { accountId } = context;
    const applied = await transactionBefore(this.dataSource, context, async (transaction) => {
      const list = await lockList(accountId, listId, transaction);
      const plan = await this.lock(accountId, listId, id, transaction);
      if (plan.status === 'applying' || plan.status === 'applied') {
        return plan;
      }
      requireApplicable(plan, acceptsStop);
      const how = { isAutomatic: false, isPulling: true };
      await this.repository.startApplying(accountId, id, how, transaction);
      const accepted = plan.status === 'stopped' && { accept_stop: { from: null, to: true } };
      const changes = { plan: { from: null, to: id }, ...accepted };
      await recordAudit(transaction, context, 'provider_list.plan_applied', list, changes);
      return transaction.findOneByOrFail(ProviderListPlan, { accountId, id });
    });
    this.runner.wake();
    return applied;
  }

  /**
   * Discards a plan. Its job ends, and changes that were not sent yet are dropped; changes that were applied remain. The
   * entries that an applied plan has read are kept for the next comparison.
   *
   * @throws {ProviderListNotFoundError | PlanNotFoundError}
   */
  async discard(context: RequestContext, listId: string, id: string): Promise<ProviderListPlan> {
    const { accountId } = context;
    const discarded = await transactionBefore(this.dataSource, context, async (transaction) => {
      const list = await lockList(accountId, listId, transaction);
      const plan = await this.lock(accountId, listId, id, transaction);
      const status = plan.status === 'applied' ? 'applied' : 'expired';
      await transaction.update(ProviderListPlan, { accountId, id }, { deletedAt: new Date(), status });
      const pushingPlanId = list.pushingPlanId === id ? null : list.pushingPlanId;
      await transaction.update(ProviderList, { accountId, id: listId }, { pushingPlanId, ...WITHDRAWN });
      const changes = { plan: { from: id, to: null } };
      await recordAudit(transaction, context, 'provider_list.plan_discarded', list, changes);
      return plan;
    });
    await this.jobs.cancel(context, discarded.jobId, discarded.status === 'applying' ? 'pull' : 'compare');
    return discarded;
  }

  private async lock(
    accountId: number,
    listId: string,
    id: string,
    transaction: EntityManager,
  ): Promise<ProviderListPlan> {
    const lock = { mode: 'pessimistic_write' } as const;
    const where = { accountId, id, providerListId: listId, deletedAt: IsNull() };
    return requireFound(await transaction.findOne(ProviderListPlan, { where, lock }), PlanNotFoundError);
  }
}

function requireApplicable({ status, readyAt }: ProviderListPlan, acceptsStop: boolean): void {
  if (status !== 'ready' && status !== 'stopped') {
    throw new PlanStatusError(status);
  }
  if (readyAt!.getTime() + VALID_MS < Date.now()) {
    throw new PlanStatusError('expired');
  }
  if (status === 'stopped' && !acceptsStop) {
    throw new PlanStoppedError();
  }
}
