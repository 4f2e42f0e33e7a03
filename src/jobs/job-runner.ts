import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { transactionBefore } from '../database/transaction.js';
import { describeError } from '../process/logger.js';
import { throttle } from '../process/throttle.js';
import { inSpan } from '../tracing/tracing.js';
import { decideNextStep, isExpected, MAX_LOSSES, SERVICE_FAILED } from './attempts.js';
import { JobInterruptedError, type JobHandler, type RunningJob } from './job-handler.js';
import type { JobError, JobKind, JobStatus } from './job.entity.js';
import { JobLeasesRepository, type LeasedJob } from './job-leases.repository.js';

const POLL_MS = 1_000;
const RENEW_MS = 4_000;
/** While the database is away, every poll fails. */
const LOG_INTERVAL_MS = 30_000;
/** A large job must not keep a small one waiting. */
const MAX_RUNNING = 2;
/** A job that has run for this long lets a waiting job of another account run first. */
const SLICE_MS = 20_000;
/**
 * The time limit of a step, which may hold locks on the list no longer than a request may. It is longer than the statement
 * timeout, so that the statements of a fast step need no timeouts of their own.
 */
const STEP_MS = REQUEST_TIME_LIMIT_MS;

/** Runs jobs inside the service. Instances share the work by leases; if an instance dies, another one continues its jobs. */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(JobRunner.name);
  private readonly handlers = new Map<JobKind, JobHandler>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private polling?: Promise<void>;
  private readonly logFailedClaim = throttle((error: unknown) => {
    this.logger.error({ msg: 'could not claim a job', ...describeError(error) });
  }, LOG_INTERVAL_MS);

  constructor(
    private readonly dataSource: DataSource,
    private readonly leases: JobLeasesRepository,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  register(kind: JobKind, handler: JobHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Commands have no HTTP server, and run no jobs. */
  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.timer = setInterval(() => this.wake(), POLL_MS);
      this.wake();
    }
  }

  /** Stops after the current steps, and leaves the jobs to other instances. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.polling;
    await Promise.all(this.running);
  }

  /** Looks for work immediately instead of within a second. */
  wake(): void {
    if (this.timer) {
      this.polling ??= this.poll().finally(() => (this.polling = undefined));
    }
  }

  private get kinds(): JobKind[] {
    return [...this.handlers.keys()];
  }

  private async poll(): Promise<void> {
    try {
      while (this.running.size < MAX_RUNNING && !this.stopping.signal.aborted) {
        const job = await this.leases.claim(this.kinds);
        if (!job) {
          return;
        }
        const work = this.run(job).finally(() => {
          this.running.delete(work);
          this.wake();
        });
        this.running.add(work);
      }
    } catch (error) {
      this.logFailedClaim(error);
    }
  }

  private async run(job: LeasedJob): Promise<void> {
    const renewal = setInterval(() => void this.leases.renew(job).catch(() => undefined), RENEW_MS);
    try {
      if (job.losses >= MAX_LOSSES) {
        this.logger.error({ msg: 'a job failed because its lease expired too often', ...namesOf(job) });
        await this.end(job, 'failed', SERVICE_FAILED);
        return;
      }
      const handler = this.handlers.get(job.kind)!;
      const span = { attributes: { 'suppression_list.job': job.id } };
      const status = await inSpan(`job ${job.kind}`, span, () => handler.run(this.toRunning(job)));
      await this.end(job, status, null);
    } catch (error) {
      await this.handleError(job, error).catch((problem: unknown) =>
        this.logger.error({
          msg: 'could not record the failure of a job',
          ...namesOf(job),
          ...describeError(problem),
        }),
      );
    } finally {
      clearInterval(renewal);
    }
  }

  private toRunning(job: LeasedJob): RunningJob {
    const { accountId, id, checkpoint } = job;
    let sliceEnd: number | undefined;
    return {
      accountId,
      id,
      checkpoint,
      get attempts() {
        return job.attempts;
      },
      stopping: this.stopping.signal,
      advance: async (work) => {
        sliceEnd ??= performance.now() + SLICE_MS;
        if (performance.now() > sliceEnd) {
          if (await this.leases.isAnyWaiting(this.kinds, job.accountId)) {
            throw new JobInterruptedError();
          }
          sliceEnd = performance.now() + SLICE_MS;
        }
        const newCheckpoint = await this.inStep(job, async (transaction) => {
          if (this.stopping.signal.aborted) {
            throw new JobInterruptedError();
          }
          const reached = await work(transaction);
          if (!(await this.leases.advance(job, reached, transaction))) {
            throw new JobInterruptedError();
          }
          return reached;
        });
        Object.assign(job, { attempts: 0, failures: 0 });
        return newCheckpoint;
      },
    };
  }

  private end(job: LeasedJob, status: JobStatus, error: JobError | null): Promise<void> {
    return this.inStep(job, async (transaction) => {
      if (await this.leases.end(job, status, error, transaction)) {
        await this.handlers.get(job.kind)?.onEnd?.(job, status, transaction);
      }
    });
  }

  private inStep<Result>(
    { accountId }: LeasedJob,
    work: (transaction: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return transactionBefore(this.dataSource, { accountId, deadline: performance.now() + STEP_MS }, work);
  }

  private async handleError(job: LeasedJob, error: unknown): Promise<void> {
    const next = decideNextStep(error, job);
    if (!isExpected(error)) {
      const msg = 'failure' in next ? 'a job failed' : 'a job failed; it will be retried';
      this.logger.error({ msg, ...namesOf(job), ...describeError(error) });
    }
    if ('failure' in next) {
      await this.end(job, 'failed', next.failure);
    } else {
      await this.leases.release(job, next.pauseSeconds, next.failures);
    }
  }
}

function namesOf({ accountId, id }: LeasedJob): { accountId: number; job: string } {
  return { accountId, job: id };
}
