import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  JobFailedError,
  JobInterruptedError,
  JobPausedError,
  type JobHandler,
  type JobKey,
  type RunningJob,
} from '../../jobs/job-handler.js';
import type { JobStatus } from '../../jobs/job.entity.js';
import { JobRunner } from '../../jobs/job-runner.js';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { ListReader } from '../client/list-reader.js';
import type { ProviderConnection } from '../client/provider-client.js';
import { ProviderFailure, ProviderPause } from '../client/provider-failure.js';
import { retryBriefly } from '../client/retry-briefly.js';
import { UnreadableCredentialsError } from '../errors.js';
import type { LineKind } from '../plans/line-kinds.js';
import { ListCredentials } from '../list-credentials.js';
import { PlansRepository, type PlanOfList } from '../plans/plans.repository.js';
import type { ProviderList } from '../provider-list.entity.js';
import { listProviderOf } from '../providers/providers.js';
import { PushSender } from '../push/push-sender.js';
import { START, type Compared, type Position } from './comparison-batch.js';
import { ComparisonRepository } from './comparison.repository.js';
import { ComparisonEnd, type ComparedPlan } from './comparison-end.js';
import { EntriesRepository } from './entries.repository.js';
import { toEntry } from './to-entry.js';

const STEPS = ['read', 'there', 'gone', 'here'] as const;
/** If the provider does not say when it can be asked again. */
const RETRY_MS = 60 * 60 * 1000;
const SHORTEST_RETRY_MS = 60 * 1000;
/** The most attempts. After each, the job pauses for as long as the provider needs. */
const MAX_ATTEMPTS = 10;

interface Progress extends ComparedPlan {
  step: (typeof STEPS)[number] | 'end';
  /** The list that is being read, counted from 0. `page` is where its next page begins. */
  list: number;
  page: string | null;
  after: Position;
  /** The causes that have no effect at the provider. */
  ineffective: readonly Cause[];
}

const BEGINNING: Omit<Progress, 'scopeKey'> = {
  step: 'read',
  list: 0,
  page: null,
  after: START,
  counts: {},
  pushedBounces: 0,
  ineffective: [],
};

/** Reads the whole list of a provider, and only then compares it. */
@Injectable()
export class CompareJob implements JobHandler {
  /** The first item of the page that a job has read last. */
  private readonly firstItems = new WeakMap<RunningJob, unknown>();

  constructor(
    runner: JobRunner,
    private readonly plans: PlansRepository,
    private readonly reader: ListReader,
    private readonly credentials: ListCredentials,
    private readonly entries: EntriesRepository,
    private readonly comparison: ComparisonRepository,
    private readonly ending: ComparisonEnd,
    private readonly sender: PushSender,
  ) {
    runner.register('compare', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const found = await this.plans.findByJob(job);
    if (!found) {
      return 'cancelled';
    }
    const { scopeKey } = found.list;
    let progress: Progress = { ...BEGINNING, scopeKey, ...(job.checkpoint as Partial<Progress>) };
    while (progress.step !== 'end') {
      const present = await this.plans.findByJob(job);
      if (!present) {
        return 'cancelled';
      }
      progress =
        progress.step === 'read'
          ? await this.read(job, present, progress)
          : await this.compare(job, present, progress);
    }
    return 'completed';
  }

  async onEnd(job: JobKey, status: JobStatus, transaction: EntityManager): Promise<void> {
    if (status === 'failed') {
      await this.plans.failByJob(job, transaction);
    }
  }

  private async read(job: RunningJob, { plan, list }: PlanOfList, progress: Progress): Promise<Progress> {
    const { lists, streams } = listProviderOf(list.provider);
    const capability = lists[progress.list]!;
    const toEntries = (items: unknown[]) => items.map((item) => toEntry(capability, item, new Date()));
    const isLastList = progress.list === lists.length - 1;
    try {
      await this.requireActive(list);
      const connection = this.credentials.connect(list);
      const nextList = async (): Promise<Progress> =>
        isLastList
          ? {
              ...progress,
              step: 'there',
              page: null,
              ineffective: await this.findIneffective(list, connection, job.stopping),
            }
          : { ...progress, list: progress.list + 1, page: null };
      if (streams !== undefined) {
        await this.reader.stream(connection, capability, streams, job.stopping, (items) =>
          this.entries.insert(job.accountId, plan.id, toEntries(items)),
        );
        const after = await nextList();
        return await job.advance(() => Promise.resolve(after));
      }
      const { items, next } = await this.reader.readPage(
        connection,
        capability,
        progress.page,
        this.firstItems.get(job),
        job.stopping,
      );
      this.firstItems.set(job, items[0]);
      const after = next === null ? await nextList() : { ...progress, page: next };
      return await job.advance(async (transaction) => {
        await this.entries.insert(job.accountId, plan.id, toEntries(items), transaction);
        return after;
      });
    } catch (error) {
      throw job.stopping.aborted ? new JobInterruptedError() : await this.toJobError(job, list, error);
    }
  }

  /** Once the account is admitted again, the next plan is made immediately. */
  private async requireActive(list: ProviderList): Promise<void> {
    if (await this.plans.isSuspended(list)) {
      await this.plans.scheduleNext(list, 0);
      throw new JobFailedError('account_suspended', 'The account was suspended.');
    }
  }

  private compare(job: RunningJob, found: PlanOfList, progress: Progress): Promise<Progress> {
    return job.advance(async (transaction) => {
      const { last, counts, pushedBounces } = await this.compareBatch(found, progress, transaction);
      const compared = {
        ...progress,
        counts: sumOf(progress.counts, counts),
        pushedBounces: progress.pushedBounces + pushedBounces,
      };
      if (last) {
        return { ...compared, after: last };
      }
      const next = STEPS[STEPS.indexOf(progress.step as 'there') + 1];
      if (next) {
        return { ...compared, step: next, after: START };
      }
      await this.ending.finish(job, compared, transaction);
      return { ...compared, step: 'end', after: START };
    });
  }

  private compareBatch(
    { plan, list }: PlanOfList,
    { step, after, ineffective }: Progress,
    transaction: EntityManager,
  ): Promise<Compared> {
    switch (step) {
      case 'there':
        return this.comparison.compareThere(list, plan.id, after, transaction);
      case 'here':
        return this.comparison.compareHere(list, plan.id, after, ineffective, transaction);
      default:
        return this.comparison.compareGone(list, plan.id, after, transaction);
    }
  }

  /** Reads this only if something may be added, because it needs a separate permission. */
  private async findIneffective(
    list: ProviderList,
    connection: ProviderConnection,
    stopping: AbortSignal,
  ): Promise<Cause[]> {
    const sending = { connection, stopping, requests: 0 };
    if (!list.pushAdditions) {
      return [];
    }
    const effective = await retryBriefly(stopping, () => this.sender.effectiveCauses(sending));
    return CAUSES.filter((cause) => !effective.includes(cause));
  }

  private async toJobError(job: RunningJob, list: ProviderList, error: unknown): Promise<unknown> {
    if (error instanceof ProviderPause) {
      return job.attempts < MAX_ATTEMPTS
        ? new JobPausedError(Math.ceil(error.pauseMs / 1_000))
        : this.toJobError(job, list, error.failure);
    }
    if (error instanceof UnreadableCredentialsError) {
      return new JobFailedError('credentials_unreadable', error.message);
    }
    if (!(error instanceof ProviderFailure)) {
      return error;
    }
    if (error.kind !== 'refused') {
      const shortestMs = error.kind === 'busy' ? SHORTEST_RETRY_MS : RETRY_MS;
      await this.plans.scheduleNext(list, Math.max(error.retryAfterMs ?? RETRY_MS, shortestMs));
    } else if (!(await this.plans.stop(list, error.message))) {
      await this.plans.scheduleNext(list, 0);
    }
    return new JobFailedError(error.kind, error.message);
  }
}

function sumOf(one: Progress['counts'], other: Progress['counts']): Progress['counts'] {
  const kinds = Object.keys({ ...one, ...other }) as LineKind[];
  return Object.fromEntries(kinds.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}
