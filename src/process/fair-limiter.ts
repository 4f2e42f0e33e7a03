/** Limits how many pieces of work run at a time. Owners take turns; the work of an owner runs in the order in which it came. */
export class FairLimiter {
  private running = 0;
  /** Keyed by owner; the owner whose turn is next comes first. */
  private readonly waiting = new Map<number, (() => void)[]>();

  constructor(private readonly maxRunning: number) {}

  async run<Result>(work: () => Promise<Result>, owner = 0): Promise<Result> {
    if (this.running < this.maxRunning) {
      this.running++;
    } else {
      await new Promise<void>((begin) => this.enqueue(owner, begin));
    }
    try {
      return await work();
    } finally {
      this.beginNext();
    }
  }

  private enqueue(owner: number, begin: () => void): void {
    const queue = this.waiting.get(owner);
    if (queue) {
      queue.push(begin);
    } else {
      this.waiting.set(owner, [begin]);
    }
  }

  private beginNext(): void {
    const [next] = this.waiting;
    if (!next) {
      this.running--;
      return;
    }
    const [owner, [begin, ...rest]] = next;
    this.waiting.delete(owner);
    if (rest.length > 0) {
      this.waiting.set(owner, rest);
    }
    begin!();
  }
}
