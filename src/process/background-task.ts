/** Work that is repeated at an interval. A run waits for no other instance, and joins the one that is under way. */
export class BackgroundTask {
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;

  /**
   * @param work - should end soon when the signal is aborted
   * @param onFailure - called when the work fails, which is then repeated at the next interval
   */
  constructor(
    private readonly intervalMs: number,
    private readonly work: (stopping: AbortSignal) => Promise<void>,
    private readonly onFailure: () => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.run(), this.intervalMs);
  }

  /** Works now. */
  run(): Promise<void> {
    this.running ??= this.work(this.stopping.signal)
      .catch(this.onFailure)
      .finally(() => (this.running = undefined));
    return this.running;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }
}
