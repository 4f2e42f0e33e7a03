import {
  Global,
  Injectable,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

interface BackgroundWork {
  /** The context of its log lines. */
  name: string;
  intervalMs: number;
  /** Whether the first run is when the instance starts, instead of after an interval. */
  runsAtStart?: true;
  /** Logged when the work fails, with the kind of error: messages of the database may quote addresses. */
  failure: string;
  /** Should end soon after the signal is aborted. */
  run: (stopping: AbortSignal) => Promise<void>;
}

/** Repeats work at an interval. Runs never overlap: {@link run} joins the run that is under way. */
export class BackgroundTask {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;

  constructor(private readonly work: BackgroundWork) {
    this.logger = new Logger(work.name);
  }

  start(): void {
    if (this.work.runsAtStart) {
      void this.run();
    }
    this.timer = setInterval(() => void this.run(), this.work.intervalMs);
  }

  run(): Promise<void> {
    this.running ??= this.work
      .run(this.stopping.signal)
      .catch((error: Error & { code?: unknown }) =>
        this.logger.warn({
          msg: `${this.work.failure}; the next run tries again`,
          error: error.name,
          code: error.code,
        }),
      )
      .finally(() => (this.running = undefined));
    return this.running;
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
}

/** @param work - returns whether there may be more to do */
export async function repeat(work: () => Promise<boolean>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await work())) {
    // The next pass follows.
  }
}

/**
 * Works on one item after another. If one fails, the others do not wait for the next run.
 *
 * @throws the first failure, at the end
 */
export async function forEvery<Item>(
  items: Item[],
  stopping: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    if (stopping.aborted) {
      break;
    }
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}

@Global()
@Module({ providers: [BackgroundTasks], exports: [BackgroundTasks] })
export class ProcessModule {}
