const PAUSE_MS = 60_000;

/** Webhooks whose signing secret this instance cannot read, because it has another SECRETS_KEY than their last writer. */
export class UnreadableWebhooks {
  private readonly triedAt = new Map<string, number>();

  get isEmpty(): boolean {
    return this.triedAt.size === 0;
  }

  /** The ids of those that this instance leaves to others for the rest of a minute. */
  left(): string[] {
    const since = performance.now() - PAUSE_MS;
    return [...this.triedAt].filter(([, triedAt]) => triedAt > since).map(([id]) => id);
  }

  /** @returns whether this webhook was readable until now */
  add(id: string): boolean {
    const isNew = !this.triedAt.has(id);
    this.triedAt.set(id, performance.now());
    return isNew;
  }

  delete(id: string): void {
    this.triedAt.delete(id);
  }
}
