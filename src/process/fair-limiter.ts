/** Limits how long work waits for its turn. */
export interface Patience {
  ms: number;
  /** The error of work that has waited for so long. */
  createError(): Error;
}

/** Limits how many pieces of work run at a time. Owners take turns; the work of an owner runs in the order in which it came. */
export class FairLimiter {
  private running = 0;
  /** Keyed by owner; the owner whose turn is next comes first. */
  private readonly waiting = new Map<number, Set<() => void>>();

  /** @param patience - by default, work waits for any length of time */
  constructor(
    private readonly maxRunning: number,
    private readonly patience?: Patience,
  ) {}

  get waitingCount(): number {
    return [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async run<Result>(work: () => Promise<Result>, owner = 0): Promise<Result> {
    if (this.running < this.maxRunning) {
      this.running++;
    } else {
      await this.waitForTurn(owner);
    }
    try {
      return await work();
    } finally {
      this.beginNext();
    }
  }

  private waitForTurn(owner: number): Promise<void> {
    const queue = this.waiting.get(owner) ?? new Set();
    this.waiting.set(owner, queue);
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timeout);
        resolve();
      };
      const giveUp = ({ createError }: Patience) => {
        this.remove(owner, queue, begin);
        reject(createError());
      };
      const { patience } = this;
      const timeout = patience && setTimeout(giveUp, patience.ms, patience);
      queue.add(begin);
    });
  }

  private beginNext(): void {
    const [next] = this.waiting;
    if (!next) {
      this.running--;
      return;
    }
    const [owner, queue] = next;
    const [begin] = queue;
    this.waiting.delete(owner);
    this.waiting.set(owner, queue);
    this.remove(owner, queue, begin!);
    begin!();
  }

  private remove(owner: number, queue: Set<() => void>, begin: () => void): void {
    queue.delete(begin);
    if (queue.size === 0) {
      this.waiting.delete(owner);
    }
  }
}
