import { Logger } from '@nestjs/common';

export interface BackgroundWork {
  /** The context of its log lines. */
  name: string;
  intervalMs: number;
  /** Whether the first run is at the start of the instance, and not after an interval. */
  runsAtStart?: true;
  /** Logged when the work fails, with the kind of error: messages of the database may quote addresses. */
  failure: string;
  /** Should end soon when the signal is aborted. */
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
