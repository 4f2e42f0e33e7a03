import {
  Global,
  Injectable,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { describeError } from './logger.js';
import { throttle } from './throttle.js';

/** While the database is away, every run fails, and some tasks run every second. */
const LOG_INTERVAL_MS = 30_000;

interface BackgroundWork {
  /** The context of its log lines. */
  name: string;
  intervalMs: number;
  /** Whether the first run is when the instance starts, instead of after an interval. */
  runsAtStart?: true;
  /** Logged when the work fails. */
  failure: string;
  /** Should end soon after the signal is aborted. */
  run: (stopping: AbortSignal) => Promise<void>;
}

/** Identifies what a sweep works on: an account, or something of it. */
interface Item {
  accountId: number;
  id?: string;
}

/** If more items of a run fail, only their number is logged. */
const MOST_FAILURES_LOGGED = 10;

const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/**
 * A minute after the time of this instance. Sweeps delete nothing that becomes due later, even if the clock of the database says that
 * it is due: that clock may have jumped ahead.
 */
export function latestDeletion(): Date {
  return new Date(Date.now() + MAX_CLOCK_DIFFERENCE_MS);
}

/** Repeats work at an interval. Runs never overlap: {@link run} joins the run that is under way. */
export class BackgroundTask {
  /** How many runs have failed, at least on one item, since one succeeded. */
  failures = 0;
  private hasFailed = false;
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;
  private readonly logFailedRun = throttle((error: unknown) => this.logFailure(error), LOG_INTERVAL_MS);

  constructor(private readonly work: BackgroundWork) {
    this.logger = new Logger(work.name);
  }

  get name(): string {
    return this.work.name;
  }

  start(): void {
    if (this.work.runsAtStart) {
      void this.run();
    }
    this.timer = setInterval(() => void this.run(), this.work.intervalMs);
  }

  run(): Promise<void> {
    this.running ??= this.runOnce().finally(() => (this.running = undefined));
    return this.running;
  }

  private async runOnce(): Promise<void> {
    this.hasFailed = false;
    try {
      await this.work.run(this.stopping.signal);
    } catch (error) {
      this.hasFailed = true;
      this.logFailedRun(error);
    }
    this.failures = this.hasFailed ? this.failures + 1 : 0;
  }

  /** @param facts - such as the account that the work failed on */
  logFailure(error: unknown, facts: object = {}): void {
    this.hasFailed = true;
    const msg = `${this.work.failure}; the next run tries again`;
    this.logger.warn({ msg, ...facts, ...describeError(error) });
  }

  /** Resolves when a run that is under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }
}

/**
 * Runs the background tasks of an instance while it serves requests. Commands have no HTTP server, so they do not run any.
 */
@Injectable()
export class BackgroundTasks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks: BackgroundTask[] = [];

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** {@link BackgroundTask.failures} by the names of the tasks. Of tasks with the same name, the highest number counts. */
  get failures(): Map<string, number> {
    const failures = new Map<string, number>();
    for (const { name, failures: number } of this.tasks) {
      failures.set(name, Math.max(number, failures.get(name) ?? 0));
    }
    return failures;
  }

  /** Called in constructors. The task starts with the application. */
  add(work: BackgroundWork): BackgroundTask {
    const task = new BackgroundTask(work);
    this.tasks.push(task);
    return task;
  }

  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.tasks.forEach((task) => task.start());
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }
}

/** Base of tasks that run at an interval, in every instance, and do one thing in `sweep`. */
export abstract class Sweep {
  private readonly task: BackgroundTask;

  constructor(tasks: BackgroundTasks, work: Pick<BackgroundWork, 'intervalMs' | 'failure'>) {
    this.task = tasks.add({ ...work, name: new.target.name, run: (stopping) => this.sweep(stopping) });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  protected abstract sweep(stopping: AbortSignal): Promise<void>;

  /**
   * Works on one item after another. If one fails, this is logged, and the others do not wait for the next run.
   *
   * @returns whether all succeeded
   */
  protected async forEvery<Of extends Item>(
    items: Of[],
    stopping: AbortSignal,
    work: (item: Of) => Promise<void>,
  ): Promise<boolean> {
    let failures = 0;
    let last: unknown;
    for (const item of items) {
      if (stopping.aborted) {
        return false;
      }
      await work(item).catch((error: unknown) => {
        const { accountId, id } = item;
        last = error;
        if (++failures <= MOST_FAILURES_LOGGED) {
          this.task.logFailure(error, { accountId, id });
        }
      });
    }
    if (failures > MOST_FAILURES_LOGGED) {
      this.task.logFailure(last, { failures });
    }
    return failures === 0;
  }
}

/** @param work - returns whether there may be more to do */
export async function repeat(work: () => Promise<boolean>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await work())) {
    // The next pass follows.
  }
}

@Global()
@Module({ providers: [BackgroundTasks], exports: [BackgroundTasks] })
export class ProcessModule {}
