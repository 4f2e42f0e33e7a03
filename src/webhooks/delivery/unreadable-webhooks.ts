const PAUSE_MS = 60_000;

interface FailedRead {
  /** The version of the webhook, which changes with its signing secret. */
  version: number;
  triedAt: number;
}

/** Webhooks whose signing secret this instance cannot read, because it has another SECRETS_KEY than their last writer. */
export class UnreadableWebhooks {
  private readonly attempts = new Map<string, FailedRead>();

  get isEmpty(): boolean {
    return this.attempts.size === 0;
  }

  get versions(): Map<string, number> {
    return new Map([...this.attempts].map(([id, { version }]) => [id, version]));
  }

  /** The ids of webhooks that this instance failed to read in the last minute, and leaves to others. */
  recentIds(): string[] {
    const since = performance.now() - PAUSE_MS;
    return [...this.attempts].filter(([, { triedAt }]) => triedAt > since).map(([id]) => id);
  }

  /** @returns whether this webhook was readable until now */
  add(id: string, version: number): boolean {
    const isNew = !this.attempts.has(id);
    this.attempts.set(id, { version, triedAt: performance.now() });
    return isNew;
  }

  delete(id: string): void {
    this.attempts.delete(id);
  }
}
