/** Limits how many pieces of work run at a time. The others wait: those of an owner in their order, the owners in turns. */
export class Turns {
  private running = 0;
  /** By owner, the one whose turn is next first. */
  private readonly waiting = new Map<number, (() => void)[]>();

  constructor(private readonly most: number) {}

  async take<Result>(work: () => Promise<Result>, owner = 0): Promise<Result> {
    if (this.running < this.most) {
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
