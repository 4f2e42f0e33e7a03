import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../../audit/request-context.js';
import { ChunkWriter, withoutSuperseding } from '../../imports/chunk-writer.js';
import type { ReportedCause } from '../../imports/chunks.js';
import { groupBy } from '../../database/rows.js';
import {
  JobInterruptedError,
  type JobHandler,
  type JobKey,
  type RunningJob,
} from '../../jobs/job-handler.js';
import { JobRunner } from '../../jobs/job-runner.js';
import type { JobStatus } from '../../jobs/job.entity.js';
import { ProviderList } from '../provider-list.entity.js';
import { PlanQueue, QUEUE_BEGINNING, type QueueProgress } from '../push/plan-queue.js';
import { LinesRepository, type PulledLine } from './lines.repository.js';
import { completePlan, failPlan } from './complete-plan.js';
import { PlansRepository, type PlanOfList } from './plans.repository.js';
import { ProviderListPlan } from './provider-list-plan.entity.js';

interface Progress {
  step: 'pull' | 'push' | 'end';
  /** The last address that was pulled. */
  after: string;
  queued: QueueProgress;
  /** Whether the plan is applied because `pull` was on, and not by a person. */
  isAutomatic: boolean;
  /** Whether the job pulls, because a person applied the plan, or `pull` was on. */
  isPulling: boolean;
}

const STOPPED = 'The list is stopped: replace its credentials.';
const PULL_ENDED = '`pull` was turned off before all lines were added here.';

const BEGINNING: Progress = {
  step: 'pull',
  after: '',
  queued: QUEUE_BEGINNING,
  isAutomatic: false,
  isPulling: false,
};

/** Adds the entries that a plan pulls, like an import, and then queues its pushes. */
@Injectable()
export class PullJob implements JobHandler {
  constructor(
    runner: JobRunner,
    private readonly plans: PlansRepository,
    private readonly lines: LinesRepository,
    private readonly writer: ChunkWriter,
    private readonly queue: PlanQueue,
  ) {
    runner.register('pull', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    let progress: Progress = { ...BEGINNING, ...(job.checkpoint as Partial<Progress>) };
    while (progress.step !== 'end') {
      const found = await this.plans.findByJob(job);
      if (found?.plan.status !== 'applying') {
        return 'cancelled';
      }
      const before = progress;
      progress =
        before.step === 'pull' && (found.list.pull || !before.isAutomatic)
          ? await withoutSuperseding((superseded) =>
              job.advance((transaction) => this.pull(found, before, superseded, transaction)),
            )
          : await job.advance((transaction) => this.push(job, before, transaction));
    }
    return 'completed';
  }

  async onEnd(job: JobKey, status: JobStatus, transaction: EntityManager): Promise<void> {
    if (status === 'failed') {
      await this.plans.failByJob(job, transaction);
    }
  }

  /**
   * Adds a batch, unless the plan was discarded meanwhile.
   *
   * @param superseded - the superseded entries of the same batch, from an attempt that was rolled back
   */
  private async pull(
    { plan, list }: PlanOfList,
    progress: Progress,
    superseded: ReadonlySet<ReportedCause>,
    transaction: EntityManager,
  ): Promise<Progress> {
    const { accountId, id } = plan;
    const lines = await this.lines.pageToPull(accountId, id, progress.after, transaction);
    if (lines.length === 0) {
      return { ...progress, step: 'push' };
    }
    const unchanged = lines.filter(({ hasChanged }) => !hasChanged);
    const known = new Set([...superseded].map(keyOf));
    const addresses = [...groupBy(unchanged.map(toReported), ({ email }) => email).values()];
    const again = new Set(addresses.flat().filter((reported) => known.has(keyOf(reported))));
    const identity: Identity = { accountId, actor: { type: 'provider_list', id: list.id, name: list.name } };
    const entries = { topicId: null, addresses, superseded: again, listed: undefined };
    await this.writer.write(identity, entries, transaction);
    const applied = unchanged.length - again.size;
    const { affected } = await transaction.update(
      ProviderListPlan,
      { accountId, id, status: 'applying' },
      {
        applied: () => `applied + ${applied}`,
        skipped: () => `skipped + ${lines.length - applied}`,
      },
    );
    if (affected === 0) {
      throw new JobInterruptedError();
    }
    return { ...progress, after: lines.at(-1)!.email };
  }

  /** Queues a batch of pushes. Once all are queued, later plans compare with the entries that this one read. */
  private async push(job: JobKey, progress: Progress, transaction: EntityManager): Promise<Progress> {
    const found = await this.plans.lockByJob(job, transaction);
    if (found?.plan.status !== 'applying') {
      return { ...progress, step: 'end' };
    }
    const { plan, list } = found;
    const { accountId, id } = plan;
    if (progress.step === 'pull' && progress.isPulling) {
      const left = await this.lines.pageToPull(accountId, id, progress.after, transaction);
      const reason = left.length > 0 ? PULL_ENDED : null;
      await transaction.update(ProviderListPlan, { accountId, id }, { reason });
    }
    const queued = await this.queue.advance(list, plan, progress.queued, transaction);
    if (queued.kind !== null) {
      return { ...progress, step: 'push', queued };
    }
    const isPushing = queued.hasQueued && !list.stoppedAt;
    const pushingPlanId = isPushing ? id : null;
    await transaction.update(ProviderList, { accountId, id: list.id }, { basePlanId: id, pushingPlanId });
    if (!queued.hasQueued) {
      await completePlan(list, id, transaction);
    } else if (!isPushing) {
      await failPlan(list, id, list.lastError ?? STOPPED, transaction);
    }
    return { ...progress, step: 'end', queued };
  }
}

function toReported(line: PulledLine, index: number): ReportedCause {
  const { email, cause, listedAt, latestAt, note } = line;
  return {
    email,
    cause,
    emailId: null,
    occurredAt: listedAt,
    eventId: null,
    note,
    expiresAt: null,
    row: index,
    latestAt: latestAt ?? new Date(0),
  };
}

function keyOf({ email, cause, occurredAt }: ReportedCause): string {
  return `${email} ${cause} ${occurredAt?.getTime()}`;
}
