export interface FairLimiterOptions {
  /** The most pieces of work of one owner that run at a time; by default, as many as of all owners. */
  maxOfOwner?: number;
  /** By default, work waits for any length of time. */
  patience?: Patience;
}

/** How long work waits for its turn. */
export interface Patience {
  ms: number;
  /** The error of work that has waited for so long. */
  createError(): Error;
}

interface Owner {
  running: number;
  /** Each begins a piece of work. */
  waiting: Set<() => void>;
}

/** Limits how many pieces of work run at a time. Owners take turns; the work of an owner runs in the order in which it came. */
export class FairLimiter {
  private running = 0;
  /** Those with work, by their ids; the owner whose work began least recently comes first. */
  private readonly owners = new Map<number, Owner>();

  constructor(
    private readonly maxRunning: number,
    private readonly options: FairLimiterOptions = {},
  ) {}

  get waitingCount(): number {
    return [...this.owners.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  async run<Result>(work: () => Promise<Result>, id = 0): Promise<Result> {
    const owner = this.owners.get(id) ?? { running: 0, waiting: new Set() };
    this.owners.set(id, owner);
    if (this.mayBegin(owner)) {
      this.countUp(id, owner);
    } else {
      await this.waitForTurn(id, owner);
    }
    try {
      return await work();
    } finally {
      this.running--;
      owner.running--;
      this.forgetIdle(id, owner);
      this.beginNext();
    }
  }

  private mayBegin({ running }: Owner): boolean {
    const { maxOfOwner = this.maxRunning } = this.options;
    return this.running < this.maxRunning && running < maxOfOwner;
  }

  private countUp(id: number, owner: Owner): void {
    this.running++;
    owner.running++;
    this.owners.delete(id);
    this.owners.set(id, owner);
  }

  private waitForTurn(id: number, owner: Owner): Promise<void> {
    const { patience } = this.options;
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timeout);
        owner.waiting.delete(begin);
        this.countUp(id, owner);
        resolve();
      };
      const giveUp = (error: Error) => {
        owner.waiting.delete(begin);
        this.forgetIdle(id, owner);
        reject(error);
      };
      const timeout = patience && setTimeout(() => giveUp(patience.createError()), patience.ms);
      owner.waiting.add(begin);
    });
  }

  private beginNext(): void {
    for (const owner of this.owners.values()) {
      const [begin] = owner.waiting;
      if (begin && this.mayBegin(owner)) {
        begin();
        return;
      }
    }
  }

  private forgetIdle(id: number, { running, waiting }: Owner): void {
    if (running === 0 && waiting.size === 0) {
      this.owners.delete(id);
    }
  }
}
