const FIRST_DELAY_MS = 1_000;

/** Spaces out work that fails, and reports which failures are worth a log line. */
export class Backoff {
  private delayMs = 0;
  private until = -Infinity;
  private cause?: string;

  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  /**
   * Doubles the delay.
   *
   * @returns whether the work failed for another reason, or not at all, the last time
   */
  fail(cause: string, maxDelayMs: number): boolean {
    const isNew = cause !== this.cause;
    this.cause = cause;
    this.delayMs = Math.min(isNew ? FIRST_DELAY_MS : this.delayMs * 2, maxDelayMs);
    this.until = performance.now() + this.delayMs;
    return isNew;
  }

  /** @returns whether the work failed the last time */
  succeed(): boolean {
    const hadFailed = this.cause !== undefined;
    this.cause = undefined;
    return hadFailed;
  }
}
